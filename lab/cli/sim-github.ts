/** `muster sim github`: a simulated GitHub over HTTP on loopback, until it is stopped. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { controlTokenOf, controlTokenOption } from './control-token.ts';
import { parseSeed } from '../../src/cli/number-options.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import { readOptionFile } from '../../src/cli/read-option-file.ts';
import { explainListening, listenOption, type Address } from '../../src/cli/server-options.ts';

interface Options {
  readonly listen: Address;
  readonly webhookUrl: string;
  readonly webhookSecretFile: string;
  readonly appId: string;
  readonly appKeyFile: string;
  readonly seed: number;
  readonly controlTokenFile?: string;
  readonly json?: true;
}

export function simGitHubCommand(ports: ProcessPorts): Command {
  return new Command('github')
    .description('run a simulated GitHub with an App, which speaks its HTTP API and sends webhooks')
    .addOption(listenOption({ host: '127.0.0.1', port: 0 }))
    .requiredOption('--webhook-url <url>', 'where webhooks are sent', parseUrl)
    .requiredOption('--webhook-secret-file <file>', 'holds the secret that signs webhooks')
    .requiredOption('--app-id <id>', 'the id of the App', parseAppId)
    .requiredOption('--app-key-file <file>', 'the key of the App in PEM, private or public')
    .option('--seed <seed>', 'the same seed draws the same delays, choices and tokens', parseSeed, 1)
    .addOption(controlTokenOption())
    .option('--json', 'print the connection data as JSON')
    .action((options: Options) => run(options, ports));
}

function parseUrl(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be an address that begins with http:// or https://.');
  return text;
}

function parseAppId(text: string): string {
  if (!/^[1-9][0-9]{0,18}$/.test(text)) throw new InvalidArgumentError('It must be a number above 0.');
  return text;
}

async function run(options: Options, ports: ProcessPorts): Promise<void> {
  const { clock, terminal, stopped } = ports;
  const { listen, appId, seed, webhookUrl } = options;
  const appKey = await readKey(options.appKeyFile);
  const webhookSecret = (await readOptionFile(options.webhookSecretFile)).trim();
  if (webhookSecret === '') throw new Error(`${options.webhookSecretFile} is empty`);
  const controlToken = await controlTokenOf(options.controlTokenFile, ports);
  // Loaded on use only: the help and the other commands do not need it.
  const { startGitHub } = await import('../clouds/github/start-github.ts');
  const onFailure = (error: unknown): void => terminal.err(`failed: ${String(error)}\n`);
  const what = { ...listen, appId, appKey, webhookSecret, webhookUrl, seed, controlToken };
  const github = await startGitHub(what, { clock, onFailure }).catch((error: unknown) => {
    throw explainListening(error, listen);
  });
  try {
    const token = controlToken.reveal();
    const text = `Simulated GitHub at ${github.url}: App ${appId}, webhooks go to ${webhookUrl}.\nToken of its control endpoint: ${token}\n`;
    const started = { url: github.url, controlToken: token };
    terminal.out(options.json === true ? `${JSON.stringify(started, null, 2)}\n` : text);
    await stopped;
  } finally {
    await github.close();
  }
}

/** The error of a bad key is not printed: it could quote the key. */
async function readKey(file: string): Promise<KeyObject> {
  const text = await readOptionFile(file);
  try {
    return createPublicKey(text);
  } catch {
    throw new Error(`${file} holds no key in PEM`);
  }
}
