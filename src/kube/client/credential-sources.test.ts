/** Credentials that are replaced while the process runs, and those in use while a renewal fails. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import type { ConnectionPorts, Credentials, CredentialSource } from './connection.ts';
import { mintedBy, Renewed, tokenFile, type Dated } from './credential-sources.ts';

const minute = 60_000;
const version = 'client.authentication.k8s.io/v1';

/** A file and a program that both yield `text`, or fail with `fault`. */
class Outside {
  text = '';
  fault: Error | undefined;
  now = Date.UTC(2026, 0, 1);
  asked = 0;

  readonly #answer = (): Promise<string> => {
    this.asked += 1;
    return this.fault === undefined ? Promise.resolve(this.text) : Promise.reject(this.fault);
  };

  readonly ports: ConnectionPorts = {
    readFile: this.#answer,
    runProgram: this.#answer,
    now: () => this.now,
  };

  get file(): CredentialSource {
    return tokenFile('/token', this.ports);
  }

  get program(): CredentialSource {
    return mintedBy({ program: { command: 'mint', args: [], env: {} }, apiVersion: version }, this.ports);
  }

  mint(status: object, apiVersion = version): void {
    this.text = JSON.stringify({ kind: 'ExecCredential', apiVersion, status });
  }
}

async function shown(source: CredentialSource): Promise<string> {
  try {
    const { token } = await source.current();
    return token?.reveal() ?? 'nothing';
  } catch (error) {
    if (error instanceof FleetError) return `${error.kind} ${error.reason}: ${error.message}`;
    throw error;
  }
}

describe('a token in a file', () => {
  it('that cannot be read is an external failure', async () => {
    const outside = new Outside();
    outside.fault = new Error('no such file');
    expect(await shown(outside.file)).toBe(
      'unavailable NoCredentials: the token file /token cannot be read: no such file',
    );
  });

  it.for([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['one\nX-Evil: 1', 'does not contain a token'],
  ] as const)('that is %j is rejected', async ([text, expected]) => {
    const outside = new Outside();
    outside.text = text;
    const reported = await shown(outside.file);
    expect(reported).toContain(expected);
    expect(reported).not.toContain('Evil');
  });

  it('stays in use for some minutes after the file is gone, and is read again meanwhile', async () => {
    const outside = new Outside();
    const { file } = outside;
    outside.text = 'one';
    expect(await shown(file)).toBe('one');
    outside.fault = new Error('no such file');
    for (let passed = 0; passed < 9; passed += 1) {
      outside.now += minute;
      expect(await shown(file)).toBe('one');
    }
    expect(outside.asked).toBe(10);
    outside.now += minute;
    expect(await shown(file)).toContain('NoCredentials');
    outside.fault = undefined;
    outside.text = 'two';
    expect(await shown(file)).toBe('two');
  });

  it('is not read at each request while reads fail', async () => {
    const outside = new Outside();
    const { file } = outside;
    outside.text = 'one';
    await shown(file);
    outside.fault = new Error('no such file');
    outside.now += minute;
    for (let times = 0; times < 5; times += 1) await shown(file);
    expect(outside.asked).toBe(2);
    outside.now += 10_000;
    await shown(file);
    expect(outside.asked).toBe(3);
  });

  it('that the server refused is not used again, even without a replacement', async () => {
    const outside = new Outside();
    const { file } = outside;
    outside.text = 'one';
    file.refused(await file.current());
    outside.fault = new Error('no such file');
    expect(await shown(file)).toContain('NoCredentials');
  });

  it('that is newer than the refused one is kept', async () => {
    const outside = new Outside();
    const { file } = outside;
    outside.text = 'one';
    const old = await file.current();
    file.refused(old);
    outside.text = 'two';
    await shown(file);
    file.refused(old);
    expect([await shown(file), outside.asked]).toEqual(['two', 2]);
  });
});

describe('a program that mints credentials', () => {
  const inTenMinutes = new Date(Date.UTC(2026, 0, 1) + 10 * minute).toISOString();

  it('runs once, and again before they expire', async () => {
    const outside = new Outside();
    const { program } = outside;
    outside.mint({ token: 'one', expirationTimestamp: inTenMinutes });
    await Promise.all([program.current(), program.current()]);
    outside.now += 9 * minute - 1;
    expect([await shown(program), outside.asked]).toEqual(['one', 1]);
    outside.mint({ token: 'two' });
    outside.now += 1;
    expect([await shown(program), outside.asked]).toEqual(['two', 2]);
  });

  it('that fails is an external failure, once its earlier credentials have expired', async () => {
    const outside = new Outside();
    const { program } = outside;
    outside.mint({ token: 'one', expirationTimestamp: inTenMinutes });
    await shown(program);
    outside.fault = new Error('exit code 255');
    outside.now += 9.5 * minute;
    expect(await shown(program)).toBe('one');
    outside.now += minute / 2;
    expect(await shown(program)).toBe('unavailable NoCredentials: mint failed: exit code 255');
  });

  it.for([
    ['something else', 'a canary by accident', 'mint did not print an ExecCredential'],
    ['another kind', JSON.stringify({ kind: 'Canary', apiVersion: version }), 'mint did not print'],
  ] as const)('and prints %s is not quoted', async ([, text, expected]) => {
    const outside = new Outside();
    outside.text = text;
    const reported = await shown(outside.program);
    expect(reported).toContain(expected);
    expect(reported.toLowerCase()).not.toContain('canary');
  });

  it.for([
    ['nothing', {}, version, 'returned neither a token nor a certificate with its key'],
    ['a certificate alone', { clientCertificateData: 'x' }, version, 'returned neither a token'],
    ['an empty token', { token: '' }, version, 'did not print an ExecCredential'],
    ['another version', { token: 'x' }, 'client.authentication.k8s.io/v1beta1', 'did not answer in'],
  ] as const)('and returns %s is an error', async ([, status, apiVersion, expected]) => {
    const outside = new Outside();
    outside.mint(status, apiVersion);
    expect(await shown(outside.program)).toContain(expected);
  });

  it('may give a certificate', async () => {
    const outside = new Outside();
    outside.mint({ clientCertificateData: 'PEM', clientKeyData: 'KEY' });
    const { certificate } = await outside.program.current();
    expect([certificate?.pem, certificate?.key.reveal()]).toEqual(['PEM', 'KEY']);
  });
});

/** Reads that end when the test says so. */
class Readings {
  readonly source: Renewed;
  readonly #open: PromiseWithResolvers<Dated>[] = [];
  readonly given = new Set<Credentials>();
  mostAtOnce = 0;
  now = 0;

  constructor() {
    const read = (): Promise<Dated> => {
      const reading = Promise.withResolvers<Dated>();
      this.#open.push(reading);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#open.length);
      return reading.promise;
    };
    this.source = new Renewed(read, () => this.now);
  }

  end(isGood: boolean): void {
    const credentials = { token: new Secret(`token-${this.given.size}`) };
    const reading = this.#open.shift();
    if (reading === undefined) return;
    if (!isGood) return reading.reject(new Error('the disk is gone'));
    this.given.add(credentials);
    reading.resolve({ credentials, until: this.now + 10, goodUntil: this.now + 30 });
  }

  endAll(): void {
    while (this.#open.length > 0) this.end(true);
  }
}

it('under concurrency, the credentials in use were read, are the newest, and were not refused', async () => {
  const step = fc.constantFrom('ask', 'refuse', 'pass', 'good', 'bad', 'settle');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const readings = new Readings();
      const { source, given } = readings;
      const answers: Promise<void>[] = [];
      let last: Credentials | undefined;
      const wrong: unknown[] = [];
      const ask = async (): Promise<void> => {
        try {
          last = await source.current();
          if (!given.has(last)) wrong.push(last);
        } catch (error) {
          if (!isFleetError(error, 'unavailable')) wrong.push(error);
        }
      };
      for (const one of steps) {
        if (one === 'ask') answers.push(ask());
        else if (one === 'refuse' && last !== undefined) source.refused(last);
        else if (one === 'pass') readings.now += 7;
        else if (one === 'good') readings.end(true);
        else if (one === 'bad') readings.end(false);
        else await Promise.resolve();
      }
      readings.endAll();
      await Promise.all(answers);
      if (last !== undefined) source.refused(last);
      const refused = last;
      const final = ask();
      readings.endAll();
      await final;
      expect(wrong).toEqual([]);
      expect(last).toBe([...given].at(-1));
      expect(last).not.toBe(refused);
      expect(readings.mostAtOnce).toBeLessThanOrEqual(1);
    }),
    { numRuns: 300 },
  );
});
