/** Keeps the beginning and the end of an output, at most so many bytes; what is between is counted and dropped. */
export class CappedOutput {
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#headMax = Math.floor(bytesMax / 2);
    this.#tailMax = bytesMax - this.#headMax;
  }

  get droppedBytes(): number {
    return this.#dropped;
  }

  add(piece: Buffer): void {
    const first = piece.subarray(0, this.#headMax - this.#headBytes);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headBytes += first.length;
    this.#addToTail(piece.subarray(first.length));
  }

  text(): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    if (this.#dropped === 0) return Buffer.concat([head, tail]).toString();
    return `${head.toString()}\n[${this.#dropped} bytes dropped]\n${tail.toString()}`;
  }

  /** Whole lines only: after a gap, the rest of a cut line could be the rest of a secret. */
  lastLines(count: number): string {
    const tail = Buffer.concat(this.#tail).toString();
    const text = this.#dropped === 0 ? this.text() : tail.slice(tail.indexOf('\n') + 1 || tail.length);
    return text.trimEnd().split('\n').slice(-count).join('\n');
  }

  /** Copied, because a piece is a view of a larger buffer that would stay in memory with it. */
  #addToTail(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#tail.push(Buffer.from(piece.subarray(-this.#tailMax)));
    const kept = Math.min(piece.length, this.#tailMax);
    this.#dropped += piece.length - kept;
    this.#tailBytes += kept;
    while (this.#tailBytes > this.#tailMax) this.#shortenTail(this.#tailBytes - this.#tailMax);
  }

  #shortenTail(excess: number): void {
    const [oldest, ...rest] = this.#tail;
    if (oldest === undefined) return;
    const cut = Math.min(excess, oldest.length);
    this.#tail = cut === oldest.length ? rest : [oldest.subarray(cut), ...rest];
    this.#tailBytes -= cut;
    this.#dropped += cut;
  }
}
