/** What a property list says about a job, as far as simulated Macs honor it. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { parsePlist } from './plist.ts';

const shape = z
  .object({
    Label: z.string().min(1),
    Program: z.string().optional(),
    ProgramArguments: z.array(z.string()).optional(),
    RunAtLoad: z.boolean().default(false),
    KeepAlive: z
      .union([
        z.boolean(),
        z.object({ SuccessfulExit: z.boolean().optional(), Crashed: z.boolean().optional() }),
      ])
      .default(false),
    /** launchd starts a job at most this often. */
    ThrottleInterval: z.number().min(0).default(10),
    StartInterval: z.number().positive().optional(),
    ExitTimeOut: z.number().min(0).default(5),
    AbandonProcessGroup: z.boolean().default(false),
    EnvironmentVariables: z.record(z.string(), z.string()).default({}),
    StandardOutPath: z.string().optional(),
    StandardErrorPath: z.string().optional(),
    WorkingDirectory: z.string().optional(),
    UserName: z.string().default('root'),
    Disabled: z.boolean().default(false),
  })
  .refine(({ Program, ProgramArguments = [] }) => Program !== undefined || ProgramArguments.length > 0);

export type JobDefinition = z.infer<typeof shape>;

/** Throws where launchd refuses the file, which includes a file that others may write to. */
export function readDefinition(path: string): JobDefinition {
  if ((statSync(path).mode & 0o022) !== 0) throw new Error(`others may write to ${path}`);
  return shape.parse(parsePlist(readFileSync(path, 'utf8')));
}

export function argumentsOf({ Program, ProgramArguments = [] }: JobDefinition): readonly string[] {
  return ProgramArguments.length > 0 ? ProgramArguments : [Program ?? ''];
}

/** What launchd decides when the program has ended. */
export function isKeptAlive({ KeepAlive }: JobDefinition, exit: number | string): boolean {
  if (typeof KeepAlive === 'boolean') return KeepAlive;
  const { SuccessfulExit, Crashed } = KeepAlive;
  const isCrash = typeof exit === 'string';
  return SuccessfulExit === (exit === 0) || (Crashed !== undefined && Crashed === isCrash);
}
