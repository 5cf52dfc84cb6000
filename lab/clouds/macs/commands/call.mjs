/** Hands a command with shared state (launchctl, pfctl, …) to the simulated Mac, and prints and exits as it says. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const [, , name, ...args] = process.argv;
const { MUSTER_ROOT = '', USER: user = '', MUSTER_JOB: job = '' } = process.env;
// Only `-` reads stdin: the rest of a script that arrives on stdin belongs to the shell.
const stdin = args.includes('-') ? await text(process.stdin) : '';
const socket = connect({ path: `${MUSTER_ROOT}/.mac/control.sock`, allowHalfOpen: true });
socket.end(JSON.stringify({ name, args, stdin, user, cwd: process.cwd(), job }));
const answer = await text(socket).catch(() => '');
/** @type {{ exit: number, stdout?: string, stderr?: string }} */
const reply = answer === '' ? { exit: 69, stderr: `${name}: the Mac went down\n` } : JSON.parse(answer);
process.stdout.write(reply.stdout ?? '');
process.stderr.write(reply.stderr ?? '');
process.exitCode = reply.exit;
