/** The port to time. Nothing else may read a clock or set a timer; the real one is built in src/bin. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `then` once after `ms`, unless the function it returns is called before. */
  after(ms: number, then: () => void): () => void;
}
