/** The formats `byte`, `isbn10`, `isbn13` and `creditcard`. */

/** Nonempty groups of four characters. */
export function isBase64(text: string): boolean {
  const body = text.replace(/={1,2}$/, '');
  return text.length > 0 && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(body);
}

export function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\t\n\f\r -]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit),
    0,
  );
  return sum % 10 === 0;
}

const cardNumber =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Ignores characters that are no digits. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, '');
  if (!cardNumber.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => total + luhn(Number(digit), index), 0);
  return sum % 10 === 0;
}

function luhn(digit: number, index: number): number {
  if (index % 2 === 0) return digit;
  return digit >= 5 ? digit * 2 - 9 : digit * 2;
}
