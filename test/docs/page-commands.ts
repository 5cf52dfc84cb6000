/** The commands of a page, in its order: each block of a shell, with what the page says that it prints. */

export interface PageBlock {
  readonly script: string;
  /** It is meant for a terminal of its own, and runs until it is stopped. */
  readonly keepsRunning: boolean;
  /** Lines that must appear, in this order; `…` stands for anything. */
  readonly prints: readonly string[];
}

export function blocksOf(page: string): readonly PageBlock[] {
  const fences = [...page.matchAll(/^```(\S+)([^\n]*)\n(.*?)^```$/gms)].map(([, kind, more, text]) => ({
    kind,
    more: more?.trim() ?? '',
    text: text ?? '',
  }));
  return fences.flatMap(({ kind, more, text }, index): readonly PageBlock[] => {
    if (kind !== 'sh') return [];
    const next = fences[index + 1];
    const prints = next?.kind === 'text' ? next.text.split('\n').filter((line) => line !== '') : [];
    return [{ script: text.trim(), keepsRunning: more === 'keeps-running', prints }];
  });
}

/** The first line that the page promises and the output does not have; undefined when it has all of them. */
export function missingIn(output: string, prints: readonly string[]): string | undefined {
  const lines = output.split('\n');
  let at = 0;
  return prints.find((line) => {
    const wanted = new RegExp(
      `^${line
        .trim()
        .split('…')
        .map((part) => RegExp.escape(part))
        .join('.*')}$`,
    );
    const found = lines.findIndex((printed, index) => index >= at && wanted.test(printed.trim()));
    at = found + 1;
    return found < 0;
  });
}

/** The last command takes the place of the shell, so that a signal to the shell ends the command. */
export function asProcess(script: string): string {
  const lines = script.split('\n');
  const last = lines.findLastIndex((_, index) => !(lines[index - 1] ?? '').endsWith('\\'));
  return lines.map((line, index) => (index === last ? `exec ${line}` : line)).join('\n');
}
