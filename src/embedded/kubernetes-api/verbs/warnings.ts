/**
 * The warnings of one request, truncated like on the real server: clients reject an answer with too long headers, and
 * then do not know that their write succeeded.
 */

const totalMax = 4 * 1024;
const oneMax = 256;
const control = /\p{Cc}/u;

export class Warnings {
  readonly #texts = new Set<string>();
  #length = 0;
  #isCut = false;

  add(text: string): void {
    if (this.#isFull || control.test(text) || this.#texts.has(text)) return;
    if (this.#isCut) this.#keep(text.slice(0, oneMax));
    else if (this.#length + text.length <= totalMax) this.#keep(text);
    else this.#cutAll(text);
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  get #isFull(): boolean {
    return this.#isCut && this.#length >= totalMax;
  }

  #keep(text: string): void {
    this.#texts.add(text);
    this.#length += text.length;
  }

  /** Truncates all warnings, also earlier ones. */
  #cutAll(last: string): void {
    const all = [...this.#texts, last];
    this.#isCut = true;
    this.#texts.clear();
    this.#length = 0;
    for (const text of all) this.#keep(text.slice(0, oneMax));
  }
}
