/** A test case of an alert. */
export interface AlertCase {
  readonly alert: string;
  readonly what: string;
  /** By name and labels, one value per minute, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>;
  readonly at: string;
  /** The labels of the firing alerts, without the severity. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}
