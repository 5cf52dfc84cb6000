/** Where a command prints; the real one is built in src/bin only. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How wide the output is; only where it is a screen, on which lines can be drawn again. */
  readonly columns?: () => number;
}
