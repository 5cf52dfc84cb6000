/** What an alert is tried with. */
export interface AlertCase {
  readonly alert: string;
  readonly what: string;
  /** By name and labels, a value a minute, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** The labels of those that fire, beside the severity. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}
