/** `muster sim scaleway`: the simulated cloud over HTTP on loopback, until it is stopped. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { serverTypes } from '../clouds/scaleway/catalogue.ts';
import { controlTokenOf, controlTokenOption } from './control-token.ts';
import { parseCount, parseSeed } from '../../src/cli/number-options.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import { writePrivately } from '../../src/cli/write-secret-file.ts';
import { explainListening, listenOption, type Address } from '../../src/cli/server-options.ts';

interface Options {
  readonly listen: Address;
  readonly hosts: number;
  readonly seed: number;
  readonly timeScale: number;
  readonly zones: readonly string[];
  readonly type?: string;
  readonly writeEnv?: string;
  readonly controlTokenFile?: string;
  readonly json?: true;
}

const timeScaleMax = 1_000_000;

export function simScalewayCommand(ports: ProcessPorts): Command {
  return new Command('scaleway')
    .description('run a simulated Scaleway with rented Macs, which speaks its HTTP API')
    .addOption(listenOption({ host: '127.0.0.1', port: 0 }))
    .option('--hosts <count>', 'how many Macs are rented at the start', parseCount, 12)
    .option('--seed <seed>', 'the same seed gives the same fleet', parseSeed, 1)
    .option('--time-scale <factor>', 'how much faster than real time its clock runs', parseTimeScale, 1)
    .option('--zones <zones>', 'names of zones, with commas between them', parseZones, [
      'fr-par-1',
      'fr-par-3',
    ])
    .addOption(
      new Option('--type <type>', 'all Macs are of this type (default: of all types in turn)').choices([
        ...serverTypes,
      ]),
    )
    .option('--write-env <file>', 'write the connection data to this file, for a shell to read')
    .addOption(controlTokenOption())
    .option('--json', 'print the connection data as JSON')
    .action((options: Options) => run(options, ports));
}

function parseTimeScale(text: string): number {
  const factor = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || factor <= 0 || factor > timeScaleMax)
    throw new InvalidArgumentError(`It must be a number above 0 and at most ${timeScaleMax}.`);
  return factor;
}

function parseZones(text: string): readonly string[] {
  const zones = text.split(',');
  if (!zones.every((zone) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(zone)) || new Set(zones).size < zones.length)
    throw new InvalidArgumentError('It must look like fr-par-1,fr-par-3.');
  return zones;
}

async function run(options: Options, ports: ProcessPorts): Promise<void> {
  const { clock, terminal, stopped } = ports;
  const controlToken = await controlTokenOf(options.controlTokenFile, ports);
  // Loaded on use only: the help and the other commands do not need it.
  const { startCloud } = await import('../clouds/scaleway/start-cloud.ts');
  const { listen, json, writeEnv, controlTokenFile: _, ...fleet } = options;
  const onFailure = (error: unknown): void => terminal.err(`failed: ${String(error)}\n`);
  const starting = startCloud({ ...fleet, ...listen, controlToken }, { clock, onFailure });
  const cloud = await starting.catch((error: unknown) => {
    throw explainListening(error, listen);
  });
  try {
    const token = controlToken.reveal();
    const forShell = { ...cloud.environment, SCW_CONTROL_TOKEN: token };
    const exports = Object.entries(forShell).map(([name, value]) => `export ${name}=${value}`);
    if (writeEnv !== undefined) await writePrivately(writeEnv, exports.join('\n'));
    const text = exports.map((line) => `  ${line}\n`);
    const speed = options.timeScale === 1 ? '' : `, time passes ${options.timeScale} times as fast`;
    terminal.out(
      json === true
        ? `${JSON.stringify({ url: cloud.url, environment: cloud.environment, controlToken: token }, null, 2)}\n`
        : `Simulated Scaleway at ${cloud.url}: ${options.hosts} Macs in ${options.zones.join(', ')}${speed}.\nUse it:\n${text.join('')}`,
    );
    await stopped;
  } finally {
    await cloud.close();
  }
}
