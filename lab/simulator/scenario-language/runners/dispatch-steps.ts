/**
 * Faults around dispatch in a story: lost answers, hanging runners, a database with wrong or missing rows, stolen
 * tokens.
 */
import { copyOf } from '../../world/dispatch/table-copy.ts';
import { durationMs } from '../../faults/script.ts';
import type { RunnersAct } from './step.ts';

export const dispatchActs: readonly RunnersAct[] = [
  [/^the next answer with a registration is lost$/, ({ parts: { door } }) => door.loseNextRegistration()],
  [/^the next (\d+) runners hang$/, ({ parts: { hanging } }, [count]) => void (hanging.left = Number(count))],
  [
    /^the database shows no claims and sessions for (\S+)$/,
    ({ parts: { database, world } }, [time = '']) => {
      const heal = database.show({ claims: [], openSessions: [] });
      world.schedule.direct(durationMs(time), 'the database is whole', heal);
    },
  ],
  [
    /^the database shows claims and sessions of now for (\S+)$/,
    ({ parts: { database, tables, world } }, [time = '']) => {
      const claims = [...tables.claims.values()];
      const openSessions = [...tables.sessions.values()].filter(({ endedAt }) => endedAt === undefined);
      const heal = database.show({ claims, openSessions });
      world.schedule.direct(durationMs(time), 'the database is up to date', heal);
    },
  ],
  [
    /^a copy of the database is made$/,
    (context) => {
      const { tables, rules } = context.parts;
      const goBack = copyOf(tables);
      context.goBackToCopy = () => {
        goBack();
        rules.wentBack();
      };
    },
  ],
  [/^the database goes back to the copy$/, (context) => context.goBackToCopy()],
  [
    /^a stranger copies the token of Pod (\S+|of \S+)$/,
    (context, [words = '']) => {
      const { uid } = context.livingPod(words);
      context.copiedToken = context.parts.truth.tokenOf(uid) ?? '';
    },
  ],
  [
    /^a stranger polls with the copied token$/,
    ({ parts: { door, chronicle }, copiedToken: token }) => {
      const left = new AbortController().signal;
      void door
        .knock({ what: 'poll', token, about: 'stranger', left })
        .then(({ status }) => chronicle.report('stranger', `is answered ${status}`));
    },
  ],
];
