/** The port to time. No other code may read a clock or set a timer; src/bin builds the real one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `then` once after `ms`. The returned function cancels it. */
  after(ms: number, then: () => void): () => void;
}
