/** What goes wrong around dispatch in a story: answers that are lost, runners that hang, a database that shows or has too little, stolen tokens. */
import { copyOf } from '../../dispatch/table-copy.ts';
import { durationMs } from '../../script.ts';
import type { RunnersAct } from './runners-act.ts';

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
    (scene) => {
      const { tables, rules } = scene.parts;
      const goBack = copyOf(tables);
      scene.goBackToCopy = () => {
        goBack();
        rules.wentBack();
      };
    },
  ],
  [/^the database goes back to the copy$/, (scene) => scene.goBackToCopy()],
  [
    /^somebody copies the token of Pod (\S+|of \S+)$/,
    (scene, [words = '']) => {
      const { uid } = scene.livingPod(words);
      scene.copiedToken = scene.parts.truth.tokenOf(uid) ?? '';
    },
  ],
  [
    /^somebody polls with the token that was copied$/,
    ({ parts: { door, chronicle }, copiedToken: token }) => {
      const left = new AbortController().signal;
      void door
        .knock({ what: 'poll', token, about: 'somebody', left })
        .then(({ status }) => chronicle.tell('somebody', `is answered ${status}`));
    },
  ],
];
