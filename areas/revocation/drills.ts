// The drill of a mass revocation: what revoking all that a filter finds would do, counted and measured, with nothing signed, mailed or changed.

import * as z from 'zod'
import { SearchedCertificates } from '#areas/certificates/shapes.ts'
import { Id, Instant, OptionalLine, PageQuery, pageOf } from '#core/contract/shapes.ts'

const count = z.number().int()

export const DrillFigures = z.object({
  /** All that the filter finds. */
  matched: count,
  /** Revoked for good already. */
  already: count,
  /** On hold: it would become a revocation. */
  held: count,
  foreign: count,
  expired: count,
  /** Valid ones of authorities here: people and devices that could not go on. */
  cutOff: count,
  holders: count,
  /** Of those that would be taken up, so many become requests that others decide. */
  approval: count,
  templates: z.array(z.object({ name: z.string(), count, approvers: count })),
  authorities: z.array(
    z.object({
      caId: Id,
      name: z.string(),
      count,
      /** Its whole list now, and with all these on it. */
      entriesNow: count,
      bytesNow: count,
      entriesAfter: count,
      bytesAfter: count,
      /** In so many parts it is published besides, of so many bytes each. */
      parts: count,
      bytesOfPart: count,
    }),
  ),
  /** Rows a second: by the latest runs of this tenancy, or as measured when the product was built. */
  rowsPerSecond: z.number(),
  measuredHere: z.boolean(),
  seconds: count,
})
export type DrillFigures = z.infer<typeof DrillFigures>

export const Drill = z.object({
  drillId: Id,
  at: Instant,
  by: z.string(),
  name: z.string(),
  query: SearchedCertificates,
  figures: DrillFigures,
})
export type DrillView = z.infer<typeof Drill>

export const drillScreens = {
  drills: {
    path: '/credentials/certificates/revocations/drills',
    needs: 'certRevokeView',
    title: 'Revocation drills',
    also: 'mass revocation, what would happen',
    menu: { group: 'certificates', entry: 'revocations', tab: 'Drills', place: 30 },
  },
  drill: {
    path: '/credentials/certificates/revocations/drills/:drillId',
    needs: 'certRevokeView',
    title: 'Revocation drill',
    parent: 'drills',
  },
} as const

export const drillCalls = {
  runDrill: {
    does: 'Counts what revoking all that matches would do, and changes nothing but this report; answers its id.',
    title: 'Run a drill of a mass revocation',
    method: 'POST',
    path: '/api2/PKI-v1/RevocationDrill',
    needs: 'certRevokeView',
    input: SearchedCertificates.extend({ name: OptionalLine(100) }),
    output: z.object({ drillId: Id }),
    failed: 'The drill was not run',
    faults: { nothing: { status: 409, says: 'No certificate matches this' } },
  },
  drill: {
    does: 'Answers the report of a drill: whom it would cut off, how long it would take, and how large the lists would become.',
    method: 'GET',
    path: '/api2/PKI-v1/RevocationDrill',
    needs: 'certRevokeView',
    input: z.object({ drillId: Id }),
    output: Drill,
    failed: 'The drill could not be read',
  },
  searchDrills: {
    does: 'Lists the drills that were held, newest first.',
    method: 'POST',
    path: '/api2/PKI-v1/SearchRevocationDrills',
    needs: 'certRevokeView',
    reads: true,
    input: PageQuery,
    output: pageOf(Drill),
    failed: 'The drills could not be listed',
  },
} as const

export const drillEvents = {
  drilled: { says: 'Ran a drill of a mass revocation', body: z.object({ drillId: Id, matched: count, cutOff: count }) },
} as const

/**
 * Rows a second where no run of the tenancy has told: 2,001 certificates of one authority revoked on two cores of a busy virtual machine, its
 * database beside it.
 */
export const usualRowsPerSecond = 150

/** The size of a list with so many entries more, by what its entries weigh now. */
export function listAfter(now: { entries: number; bytes: number }, more: number, entryBytes: number): { entries: number; bytes: number } {
  return { entries: now.entries + more, bytes: Math.max(now.bytes, emptyListBytes) + more * entryBytes }
}

/** Header, extensions and an RSA signature. */
const emptyListBytes = 700
