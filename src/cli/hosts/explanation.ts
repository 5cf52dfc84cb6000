/** What is told about one object: facts in words for people, the same as JSON for programs. */
export type Fact = readonly [label: string, text: string];

export interface Explanation {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly json: object;
}
