/** Where a command prints; the real one is built in src/bin only. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}
