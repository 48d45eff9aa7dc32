// Whose cards are believed when they say that a key was made on them.

import * as z from 'zod'
import type { CallShape } from '#core/contract/contract.ts'

const needs = 'smartcardManage'
const mostText = 60_000

export const attestationCalls = {
  attestation: {
    does: 'Answers whose cards are believed when they say that a key was made on them: the roots that are shipped, and those that the tenancy added as PEM.',
    method: 'GET',
    path: '/api2/CMS-v2/CardAttestation',
    needs,
    input: z.object({}),
    output: z.object({ shipped: z.array(z.string()), roots: z.string(), acceptsVirtual: z.boolean() }),
  },
  changeAttestation: {
    does: 'Sets whose cards are believed besides those of the roots that are shipped. What was issued before stays as it is.',
    title: 'Change whose smartcards are believed',
    method: 'PUT',
    path: '/api2/CMS-v2/CardAttestation',
    needs,
    tokens: 'never',
    input: z.object({
      /** Certificates of makers in PEM. */
      roots: z.string().max(mostText, 'That is too long').default(''),
      /** Cards of software, whose root proves nothing. */
      acceptsVirtual: z.boolean().default(false),
    }),
    output: z.object({}),
    done: 'The roots were changed',
    failed: 'The roots were not changed',
    faults: { notRoots: { status: 409, says: 'That is no list of certificates of authorities in PEM: {reason}', field: 'roots' } },
  },
} as const satisfies Record<string, CallShape>
