/** The port to chance. Nothing else may draw a random number; the real one is built in src/bin. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded), each as likely as any other. */
  next(): number;
}
