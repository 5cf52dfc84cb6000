/** The explanation of one object: facts as text, and the same as JSON. */
export type Fact = readonly [label: string, text: string];

export interface Explanation {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly json: object;
}
