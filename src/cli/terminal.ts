/** Where a command prints. Only src/bin builds the real terminal. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The width of the output. Present only for a screen, where lines can be redrawn. */
  readonly columns?: () => number;
}
