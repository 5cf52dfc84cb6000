/** The token of control endpoints that tests start and ask. */
import { Secret } from '../src/runtime/secret.ts';
import { controlHeaders } from '../src/sim/http/control-guard.ts';

export const controlToken = new Secret('of-the-tests');
export const asControl = controlHeaders(controlToken);
