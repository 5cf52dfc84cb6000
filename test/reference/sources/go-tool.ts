/** Runs the go command for one program in one folder; its errors become errors with a remedy. */
import type { Environment } from '../cache.ts';
import { MissingReferenceError } from '../reference-error.ts';
import type { GoRecipe, ReferenceProgram } from '../programs.ts';
import { isNotInstalled, runCommand, type RunOptions } from '../run-command.ts';

export interface GoJob {
  readonly program: ReferenceProgram;
  readonly recipe: GoRecipe;
  readonly env: Environment;
}

/** Sources without Go; named in the error on a machine without any of them. */
export const otherWays =
  'or set KUBEBUILDER_ASSETS or MUSTER_REAL_MIRROR (see test/reference/README.md), or MUSTER_REAL=off';
const installGo = `install Go 1.26 or newer, ${otherWays}`;

export async function runGo(
  job: GoJob,
  args: readonly string[],
  options: RunOptions & { readonly cwd: string },
): Promise<string> {
  // The caller's GOFLAGS (say -mod=vendor) must not change the build; an empty value would use the stored values of `go
  // env -w`.
  const env = { ...job.env, GOFLAGS: '-mod=readonly', CGO_ENABLED: '0' };
  const run = await runCommand('go', args, { ...options, env }).catch((error: unknown) => {
    if (!isNotInstalled(error)) throw error;
    throw new MissingReferenceError(
      `${job.program.name} is not in the cache, and Go is not installed to build it`,
      installGo,
    );
  });
  if (run.status !== 0) throw goFailure(job, run.stderr);
  return run.stdout;
}

/** The folder of a module's sources; fetched if needed. */
export async function moduleFolder(job: GoJob, path: string, cwd: string): Promise<string> {
  await runGo(job, ['mod', 'download', path], { cwd });
  return (await runGo(job, ['list', '-m', '-mod=readonly', '-f', '{{.Dir}}', path], { cwd })).trim();
}

function goFailure({ program, recipe }: GoJob, stderr: string): MissingReferenceError {
  const where = `test/reference/modules/${recipe.module}`;
  const said = complaint(stderr);
  if (/go\.sum|checksum mismatch/.test(stderr)) {
    return new MissingReferenceError(
      `${where}/go.sum does not match the sources of ${program.name}: ${said}`,
      `restore it with: git checkout -- ${where}/go.mod ${where}/go.sum`,
    );
  }
  if (/requires go >= |invalid go version|toolchain not available/.test(stderr)) {
    return new MissingReferenceError(
      `the Go on this machine is too old for ${program.name}: ${said}`,
      installGo,
    );
  }
  if (/no space left on device/.test(stderr)) {
    return new MissingReferenceError(
      `the disk filled up while building ${program.name}`,
      'free about 6 GB, or move the caches with MUSTER_CACHE, GOCACHE and GOMODCACHE',
    );
  }
  if (/dial tcp|no such host|i\/o timeout|connection refused|proxyconnect/.test(stderr)) {
    return new MissingReferenceError(
      `the Go modules of ${program.name} cannot be fetched: ${said}`,
      'check the network and GOPROXY',
    );
  }
  return new MissingReferenceError(
    `go could not build ${program.name}: ${said}`,
    `see the whole output with: cd ${where} && go build ${recipe.package}`,
  );
}

/** The error lines of go's output, without the progress lines. */
function complaint(stderr: string): string {
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => line.trim());
  const complaining = lines.filter((line) =>
    /mismatch|go\.sum|error|requires|malformed|cannot|denied|no space|dial/i.test(line),
  );
  return (complaining.length > 0 ? complaining : lines.slice(-1)).slice(0, 3).join('; ').slice(0, 500);
}
