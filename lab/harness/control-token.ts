/** The token of the control endpoints in tests. */
import { Secret } from '../../src/platform/secret.ts';
import { controlHeaders } from '../clouds/http/control-guard.ts';

export const controlToken = new Secret('of-the-tests');
export const asControl = controlHeaders(controlToken);
