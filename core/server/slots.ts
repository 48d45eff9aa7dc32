// The slots of rooms that stand above those that offer. A slot of a room that stands below is declared at that room's root; the records have one of their own
// (records.ts). Coming, with the room that gathers: measures for analytics, checks for monitoring, fields of alerts, kinds of reports.

import type { Needs } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'
import type { Database } from './database.ts'
import type { Viewer } from './serve.ts'
import type { Tenancy } from './tenancy.ts'

/** Measured, not ticked. */
export type FirstStep = {
  step: string
  isDone(db: Database, tenantId: string, now: Date): Promise<boolean>
  /** Where it goes on, once it has begun; else where the console says that it begins. */
  path?(db: Database, tenantId: string, now: Date): Promise<string | undefined>
}
export const firstSteps = slot<FirstStep>('first steps: what makes a new tenancy useful, and whether it is done')

/** How much waits for this person, by kind. Asked only where the person has the permission. */
export type WorkWaiting = { needs: Needs; count(db: Database, viewer: Viewer): Promise<Readonly<Record<string, number>>> }
export const workWaiting = slot<WorkWaiting>('work waiting: what waits for a person to decide')

/** What can be done about it in its place: a call of the room that offers it, as `area.name`, which looks at everything again. */
export type WorkAction = {
  name: string
  call: string
  input: Readonly<Record<string, unknown>>
  /** The field of the input that takes a reason. */
  reasonField?: string
  needsReason?: boolean
}

/** One thing that waits for a person. `link`: its page in the console. */
export type WorkItem = {
  id: string
  title: string
  link: string
  requestedBy?: string
  since: Date
  due?: Date
  actions: readonly WorkAction[]
}

/** The oldest come first, at most `most`; `count` may stop at `countTo`. Asked only where the person has the permission, in a transaction of its own. */
export type WorkSource = {
  kind: string
  needs: Needs
  read(tenancy: Tenancy, viewer: Viewer, limits: { most: number; countTo: number }): Promise<{ items: readonly WorkItem[]; count: number }>
}
export const workSources = slot<WorkSource>('my work: what waits for a person, with what can be done about it in its place')

/**
 * What is begun and ends later. `begins`: the events of the room `area` that begin one; `idField` names its id in the body of these and of all further steps.
 * Who lacks the permission sees those that they began themselves.
 */
export type TransactionSource = {
  kind: string
  area: string
  begins: readonly string[]
  idField: string
  needs: Needs
  describe(tenancy: Tenancy, viewer: Viewer, ids: readonly string[]): Promise<ReadonlyMap<string, TransactionState>>
}
export type TransactionState = {
  title: string
  status: 'waiting' | 'done' | 'failed' | 'denied'
  endedAt?: Date
  link?: string
  /** What steps are about besides: the certificate that came of a request. */
  further?: string
}
export const transactionSources = slot<TransactionSource>('transactions: what was begun, and what has become of it')

/** What hangs on a thing, counted by kind, each with the list of it: a delete with dependants is refused with them. */
export type Dependants = {
  record: string
  count(db: Database, tenantId: string, id: string, now: Date): Promise<readonly { kind: string; count: number; path: string }[]>
}
export const dependants = slot<Dependants>('who uses this: dependants of a thing, asked before a delete')

/** Deletes what a room keeps for a person's own use, in the transaction that deletes the account. */
export type ForgetPerson = (db: Database, tenantId: string, userId: string) => Promise<void>
export const personalData = slot<ForgetPerson>('personal data: what goes with an account that is deleted')

/** Counts what goes with an account, for whoever is about to delete it; the kind is one of `areas/users/removal-kinds.ts`. */
export type CountWithPerson = (tenancy: Tenancy, userId: string) => Promise<readonly { kind: string; count: number }[]>
export const goesWithPerson = slot<CountWithPerson>('what goes with an account: counted before it is deleted')

/** Another text after each change that people see in a tenancy, from one row that is found by an index. */
export type ChangeSign = (tenancy: Tenancy) => Promise<string>
export const changeSigns = slot<ChangeSign>('change signs: whether anything has changed in a tenancy')
