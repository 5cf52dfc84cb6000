/** Cuts a stream of bytes into lines, wherever the chunks begin and end. Says when a stream stops inside a line. */
export class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** The lines that the chunk completes. */
  push(chunk: Uint8Array): readonly string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }

  /** What came after the last line; empty when the stream ended where a line did. */
  get unfinished(): string {
    return this.#rest;
  }
}
