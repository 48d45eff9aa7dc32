// The calls about the sessions that a person has open: seeing them, and ending one or all of them.

import * as z from 'zod'
import { Id, Instant } from '#core/contract/shapes.ts'

const Ended = z.object({ ended: z.number().int() })

export const openSessionCalls = {
  ownSessions: {
    does: 'Lists the caller’s open sessions: since when, until when, from which address and with which browser; `current` is the one that asks.',
    method: 'GET',
    path: '/api2/Authentication-v1/OwnSessions',
    needs: 'signedIn',
    tokens: 'never',
    home: true,
    input: z.object({}),
    output: z.object({
      rows: z.array(
        z.object({
          id: Id,
          current: z.boolean(),
          startedAt: Instant,
          expiresAt: Instant,
          address: z.string(),
          userAgent: z.string(),
        }),
      ),
    }),
    failed: 'Your sessions could not be read',
  },
  endOwnSession: {
    does: 'Ends one of the caller’s own sessions, at once on every server.',
    title: 'End an own session',
    method: 'DELETE',
    path: '/api2/Authentication-v1/OwnSession',
    needs: 'signedIn',
    tokens: 'never',
    home: true,
    input: z.object({ id: Id }),
    output: z.object({}),
    done: 'The session has ended',
    failed: 'The session was not ended',
  },
  endOwnSessions: {
    does: 'Signs the caller out everywhere: all sessions end, this one too. Answers how many ended. API tokens stay.',
    title: 'Sign out everywhere',
    method: 'POST',
    path: '/api2/Authentication-v1/EndOwnSessions',
    needs: 'signedIn',
    tokens: 'never',
    home: true,
    input: z.object({}),
    output: Ended,
    failed: 'You were not signed out',
  },
  endSessions: {
    does: 'Signs another user of the tenancy out everywhere; answers how many sessions ended. The user can sign in again.',
    title: 'Sign a user out everywhere',
    method: 'POST',
    path: '/api2/Authentication-v1/EndSessions',
    needs: 'userEdit',
    tokens: 'never',
    input: z.object({ userId: Id }),
    output: Ended,
    done: 'The user is signed out everywhere',
    failed: 'The user was not signed out',
    faults: { beyond: { status: 403, says: 'This person holds more than you do' } },
  },
} as const
