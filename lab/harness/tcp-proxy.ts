/** A TCP proxy that a test can cut, stall, or make corrupt a word, without notice to either end. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

export class TcpProxy {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  #isCut = false;
  #spoils: string | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near));
  }

  static async open(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Breaks present connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks present connections, and new connections at once, until reset. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    if (isCut) this.cut();
  }

  /** Present connections stay open, and transfer nothing any more; new connections work. */
  stall(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** New connections are accepted and transfer nothing, until reset. */
  set isStalled(isStalled: boolean) {
    this.#isStalled = isStalled;
  }

  /** Overwrites this word in data to the far end, until reset. */
  set spoils(word: string | undefined) {
    this.#spoils = word;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(near: Socket): void {
    if (this.#isCut) return void near.destroy();
    const far = connect(this.#target, '127.0.0.1');
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      // An error of one end is handled there; the other end sees the close.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    if (this.#isStalled) return;
    near.pipe(this.#spoiling()).pipe(far);
    far.pipe(near);
  }

  #spoiling(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const word = this.#spoils;
        if (word === undefined) return done(null, chunk);
        const text = chunk.toString('latin1').replaceAll(word, 'x'.repeat(word.length));
        return done(null, Buffer.from(text, 'latin1'));
      },
    });
  }
}
