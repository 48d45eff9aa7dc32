// What the holder can do, for each state of a certificate, each of its attempt and each mode of its template: what is offered is never refused.

import { expect, test } from 'vitest'
import { keysFor, takesNewKey } from './key-choices.ts'
import { verdictOn, type Attempt, type Known, type RenewalMode } from './rules.ts'
import { stepOn, type RenewalStep, type Standpoint } from './steps.ts'

const at = (text: string) => new Date(`${text}T00:00:00Z`)

const certificate = {
  early: { now: at('2026-05-01') },
  due: {},
  onHold: { status: 'onHold', revoked: { reason: 'certificateHold', at: at('2026-05-30') } },
  revoked: { status: 'revoked', revoked: { reason: 'superseded', at: at('2026-05-30') } },
  expired: { status: 'expired', now: at('2026-07-01') },
  renewed: { renewedBy: { serialHex: '0abc', at: at('2026-05-30') } },
  superseded: { supersededBy: { serialHex: '0abc' } },
  external: { external: true },
  ruled: { rule: { name: 'Everyday', renewDays: 30 } },
} satisfies Record<string, Partial<Known>>

const tried = (state: Attempt['state'], stage?: Attempt['stage']): Attempt => ({
  state,
  stage,
  reason: '',
  tries: 1,
  at: at('2026-05-30'),
  next: undefined,
})
const attempt = {
  none: undefined,
  asking: tried('asking'),
  approval: tried('waiting', 'waiting'),
  granted: tried('waiting', 'awaitingKey'),
  issuing: tried('waiting', 'reserved'),
  awaitingHolder: tried('awaitingHolder'),
  awaitingKey: tried('awaitingKey'),
  refused: tried('refused'),
  failed: tried('failed'),
  denied: tried('denied'),
  lapsed: tried('lapsed'),
} satisfies Record<string, Attempt | undefined>

type Row = [keyof typeof certificate, (keyof typeof attempt)[], ...RenewalStep[]]

/** Mode of the template, and whether the key was made here. */
const columns: readonly { mode: RenewalMode; madeHere: boolean }[] = [
  { mode: 'NONE', madeHere: true },
  { mode: 'MANUAL', madeHere: false },
  { mode: 'AUTOMATIC_SAME_KEY', madeHere: false },
  { mode: 'AUTOMATIC_NEW_KEY', madeHere: true },
  { mode: 'AUTOMATIC_NEW_KEY', madeHere: false },
]

const idle: (keyof typeof attempt)[] = ['none', 'awaitingHolder', 'awaitingKey', 'refused', 'failed', 'denied', 'lapsed']
const all = Object.keys(attempt) as (keyof typeof attempt)[]
const none: RenewalStep[] = ['none', 'none', 'none', 'none', 'none']

// prettier-ignore
const table: Row[] = [
  //                                                NONE       MANUAL     SAME_KEY   NEW_KEY    NEW_KEY, the holder's
  ['early', idle,                                   'request', 'none',    'none',    'none',    'none'],
  ['due', idle,                                     'request', 'renew',   'renew',   'renew',   'answer'],
  ['due', ['asking', 'issuing'],                    ...none],
  ['due', ['approval'],                             'show',    'show',    'show',    'show',    'show'],
  ['due', ['granted'],                              'collect', 'collect', 'collect', 'collect', 'collect'],
  ['ruled', [...idle, 'asking', 'issuing'],         ...none],
  ['ruled', ['granted'],                            'collect', 'collect', 'collect', 'collect', 'collect'],
  ['onHold', all,                                   ...none],
  ['revoked', all,                                  'request', 'request', 'request', 'request', 'request'],
  ['expired', all,                                  'request', 'request', 'request', 'request', 'request'],
  ['renewed', all,                                  ...none],
  ['superseded', all,                               ...none],
  ['external', all,                                 ...none],
]

const known: Known = {
  now: at('2026-06-01'),
  status: 'active',
  revoked: undefined,
  external: false,
  notAfter: at('2026-06-20'),
  mode: 'MANUAL',
  window: { opens: at('2026-05-21'), due: at('2026-05-24') },
  holder: 'Grace Hopper',
  yours: true,
  madeHere: true,
  newKey: true,
  renewedBy: undefined,
  supersededBy: undefined,
  rule: undefined,
  attempt: undefined,
  blocked: undefined,
}

test.each(table)(
  'Of one that is %s, with the attempt %s, the holder is offered by mode: %s, %s, %s, %s, %s',
  (state, attempts, ...steps) => {
    for (const name of attempts)
      for (const [column, { mode, madeHere }] of columns.entries()) {
        const facts = { mode, madeHere, archived: false, keyArchived: false }
        const now: Known = { ...known, mode, madeHere, newKey: takesNewKey(facts), attempt: attempt[name], ...certificate[state] }
        const verdict = verdictOn(now).kind
        const step = stepOn({
          verdict,
          status: now.status,
          open: now.now >= now.window.opens,
          mayRenew: true,
          mayEarly: false,
          keys: keysFor(facts),
          refusedFor: undefined,
          collects: true,
          decides: false,
          reads: true,
        })
        expect([state, name, mode, madeHere, step]).toEqual([state, name, mode, madeHere, steps[column]])
      }
  },
)

const stands: Standpoint = {
  verdict: 'manual',
  status: 'expiring',
  open: true,
  mayRenew: true,
  mayEarly: false,
  keys: ['same', 'brought'],
  refusedFor: undefined,
  collects: false,
  decides: false,
  reads: false,
}

test.each<[string, Partial<Standpoint>, RenewalStep]>([
  ['whose key is good for nothing any more is renewed with another', { keys: ['made'] }, 'renew'],
  ['which only a key of the holder can follow asks for its request', { keys: ['brought'] }, 'answer'],
  ['which no key can follow needs another certificate', { keys: [] }, 'request'],
  ['whose names are not allowed any more does, too', { refusedFor: 'names' }, 'request'],
  ['whose template is disabled waits for who mends that', { refusedFor: 'template' }, 'none'],
  ['offers nothing to who only looks', { mayRenew: false }, 'none'],
  ['that is over offers nothing to who only looks either', { mayRenew: false, status: 'expired', verdict: 'missed' }, 'none'],
  ['can be renewed early by who may ask for others', { open: false, mayEarly: true, verdict: 'later' }, 'early'],
  ['cannot where it would be refused', { open: false, mayEarly: true, verdict: 'later', refusedFor: 'authority' }, 'none'],
  ['and not by its holder', { open: false, verdict: 'later' }, 'none'],
  [
    'whose decision waits for the person who looks asks for it',
    { verdict: 'approval', decides: true, reads: true, mayRenew: false },
    'approve',
  ],
  ['whose decision waits for others shows its request', { verdict: 'approval', reads: true }, 'show'],
  ['whose key waits for somebody else shows its request', { verdict: 'collect', reads: true }, 'show'],
])('One %s', (_what, change, step) => {
  expect(stepOn({ ...stands, ...change })).toBe(step)
})
