/**
 * Splits a stream of bytes into lines, wherever the chunks begin and end. Reports a stream that stops inside a line.
 */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** Returns the lines that the chunk completes. */
  push(chunk: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }

  /** The text after the last line; empty when the stream ended with a line. */
  get unfinished(): string {
    return this.#rest;
  }
}
