/** The port to randomness. No other code may draw random numbers; src/bin builds the real one. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded), uniformly distributed. */
  next(): number;
}
