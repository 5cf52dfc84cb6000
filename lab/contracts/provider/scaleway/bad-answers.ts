/** Malformed success answers, inconsistent listings, and servers with missing fields. */
import { html, id, server, type BadReply, type WireReply } from './bad-reply.ts';

function listing(servers: readonly unknown[], total: unknown = servers.length): readonly WireReply[] {
  return [{ body: { servers, total_count: total } }];
}

function get(says: string, fields: object, gives: object): BadReply {
  return { says, call: 'get', replies: [{ body: server(fields) }], gives };
}

/** Three on a page. */
const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map((letter) => server({ id: `${letter}-1` }));

const noAnswers: readonly BadReply[] = [
  {
    says: 'another server than the requested one',
    call: 'get',
    replies: [{ body: server({ id: 'other' }) }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '200 with an HTML page',
    call: 'list',
    replies: [html],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '200 with nothing',
    call: 'list',
    replies: [{ body: '' }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '200 with a truncated body',
    call: 'get',
    replies: [{ body: '{"id": "aaaa' }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '200 with an HTML page, to a write',
    call: 'reinstall',
    replies: [html],
    fails: ['unavailable', 'OutcomeUnknown'],
  },
  {
    says: '200 with null',
    call: 'get',
    replies: [{ body: 'null' }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '200 with a list instead of an object',
    call: 'list',
    replies: [{ body: [] }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: '204 to a read',
    call: 'get',
    replies: [{ status: 204 }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'an object without a list',
    call: 'list',
    replies: [{ body: {} }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'a total without a list',
    call: 'list',
    replies: [{ body: { total_count: 0 } }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'a list without a total',
    call: 'list',
    replies: [{ body: { servers: [] } }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'a total below zero',
    call: 'list',
    replies: listing([], -1),
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'null in a list',
    call: 'list',
    replies: listing([null]),
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'a server without an id',
    call: 'list',
    replies: listing([{ name: 'x' }]),
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'images that are not a list',
    call: 'listOs',
    replies: [{ body: { os: 'none', total_count: 0 } }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'keys that are not a list',
    call: 'listKeys',
    replies: [{ body: { total_count: 0 } }],
    fails: ['unavailable', 'UnreadableReply'],
  },
  {
    says: 'a created key without an id',
    call: 'registerKey',
    replies: [{ body: { name: 'x' } }],
    fails: ['unavailable', 'OutcomeUnknown'],
  },
];

const listings: readonly BadReply[] = [
  { says: 'a number for an id', call: 'list', replies: listing([server({ id: 42 })]), gives: [{ id: '42' }] },
  { says: 'a total in quotes', call: 'list', replies: listing([server()], '1'), gives: [{ id }] },
  {
    says: 'a total that is larger than the list',
    call: 'list',
    replies: listing([server()], 5),
    fails: ['unavailable', 'ListingShifted'],
  },
  {
    says: 'a total that is smaller than the list',
    call: 'list',
    replies: listing([first, second], 1),
    gives: [{ id: 'a-1' }, { id: 'b-1' }],
  },
  {
    says: 'a full last page',
    call: 'list',
    replies: listing([first, second, third]),
    gives: [{}, {}, {}],
  },
  {
    says: 'pages larger than requested',
    call: 'list',
    replies: listing([first, second, third, fourth]),
    gives: [{}, {}, {}, {}],
  },
  {
    says: 'one server on two pages',
    call: 'list',
    replies: [
      { body: { servers: [first, second, third], total_count: 4 } },
      { body: { servers: [third, fourth], total_count: 4 } },
      { body: { servers: [first, second, third], total_count: 4 } },
    ],
    gives: [{ id: 'a-1' }, { id: 'b-1' }, { id: 'c-1' }, { id: 'd-1' }],
  },
  {
    says: 'a server on no page',
    call: 'list',
    replies: listing([first, second, third], 4),
    fails: ['unavailable', 'ListingShifted'],
  },
  {
    says: 'a page that fails',
    call: 'list',
    replies: [...listing([first, second, third], 4), { status: 500 }],
    fails: ['unavailable', 'ProviderUnavailable'],
  },
  {
    says: 'two servers of one name',
    call: 'list',
    replies: listing([first, second]),
    gives: [{ name: 'mini' }, { name: 'mini' }],
  },
  {
    says: 'two servers of one address',
    call: 'list',
    replies: listing([first, second]),
    gives: [{ ip: '198.18.0.1' }, { ip: '198.18.0.1' }],
  },
  {
    says: 'JSON under another spelling of its type',
    call: 'get',
    replies: [{ headers: { 'content-type': 'application/json; charset=utf-8' }, body: server() }],
    gives: { id },
  },
  {
    says: 'JSON without a content type',
    call: 'get',
    replies: [{ headers: { 'content-type': '' }, body: server() }],
    gives: { id },
  },
];

const views: readonly BadReply[] = [
  get('no status', { status: undefined }, { status: 'unknown', statusText: '' }),
  get('a status that is null', { status: null }, { status: 'unknown' }),
  get('an unknown status', { status: 'READY' }, { status: 'unknown', statusText: 'READY' }),
  get('ready, but not delivered', { delivered: false }, { status: 'ready', delivered: false }),
  get('delivered as a string', { delivered: 'true' }, { delivered: false }),
  get('no name', { name: undefined }, { name: '' }),
  get('no address', { ip: '' }, { ip: undefined }),
  get('an IPv6 address', { ip: '2001:db8::1' }, { ip: '2001:db8::1' }),
  get('a private address', { ip: '10.0.0.7' }, { ip: '10.0.0.7' }),
  get('the address of cloud metadata services', { ip: '169.254.169.254' }, { ip: undefined }),
  get('the same, mapped to IPv6', { ip: '::ffff:169.254.169.254' }, { ip: undefined }),
  get('the loopback address', { ip: '127.0.0.1' }, { ip: undefined }),
  get('a host name for an address', { ip: 'metadata.internal' }, { ip: undefined }),
  get('no system', { os: null }, { os: undefined }),
  get(
    'a number for a family',
    { os: { id: 'i', name: 'macos-tahoe-26.3', family: 26, version: 26.3 } },
    { os: { family: '26', version: '26.3', isBeta: false } },
  ),
  get(
    'a beta',
    { os: { id: 'i', name: 'n', family: 'Tahoe', version: '26.7-beta', is_beta: true } },
    { os: { version: '26.7-beta', isBeta: true } },
  ),
  get('an invalid date', { deletable_at: 'soon' }, { deletableAt: undefined }),
  get('a date', { deletable_at: '2026-01-02T00:00:00Z' }, { deletableAt: Date.UTC(2026, 0, 2) }),
  get('unknown fields', { constructor: { name: 'x' }, more: [1] }, { id }),
];

export const badAnswers: readonly BadReply[] = [...noAnswers, ...listings, ...views];
