// What can be done with many rows of a list. A room offers an action, for a list of its own or of a room below, which need
// not know it. The words and fields of the confirmation are loaded with the page that asks for it.

import type { Icon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import type { BulkAction } from '#core/console/kit/BulkBar.tsx'
import type { FormKit } from '#core/console/kit/Form.tsx'
import { goTo } from '#core/console/navigate.ts'
import { changed } from '#core/console/queries.ts'
import { offersTo } from '#core/console/rooms.ts'
import { send } from '#core/console/send.ts'
import type { Area } from '#core/contract/area.ts'
import { to } from '#core/contract/paths.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'

/** What the confirmation asks for. `ticks` are parameters, too. `typed` is the number of rows, as the person typed it. */
export type RunValues = { parameters: Record<string, string | undefined>; ticks: Record<string, boolean | undefined>; typed: string }

export type BulkTexts = {
  /** "Revoke 61,204 certificates". */
  title(count: number): string
  submit(count: number): string
  /** The safe outcome: "Keep certificates". */
  keep: string
  /** What it means, in sentences, out of the facts that the server counted. */
  consequence(facts: Readonly<Record<string, number>>, count: number): string[]
  /** Why nothing at all would be done, where that is known before: then it is not offered. */
  inVain?(facts: Readonly<Record<string, number>>): string | undefined
  /** "118 revoked", by the word that the action gave. */
  outcome(word: string, count: number): string
  danger?: boolean
  Fields?: ComponentType<{ form: FormKit<RunValues>; facts: Readonly<Record<string, number>> }>
  /** What is wrong with what was chosen, by field. */
  check?(facts: Readonly<Record<string, number>>, chosen: RunValues): Record<string, string>
  /** What was chosen at the confirmation, for whoever reads the work later. */
  chosen?(parameters: Readonly<Record<string, unknown>>): { label: string; value: string }[]
  /** Where a row is looked at. */
  rowPath?(targetId: string): string
  /** Where the request is looked at that a row became. `own`: the person who looks asked for it. */
  request?(row: { requestId: string; targetId: string; own: boolean }): { path: string; needs: Needs }
}

export type BulkOffer = {
  action: string
  /** The list's key, as it names itself to `useList`. */
  list: string
  label: () => string
  needs?: Needs
  icon?: Icon
  danger?: boolean
  /** Rooms whose readings are old when the work has ended. */
  invalidates: readonly Area[]
  texts: () => Promise<() => BulkTexts>
}

export const bulkActionSlot = slot<BulkOffer>('bulk actions: the words of what is done to many rows of a list')

export const bulkOffer = (action: string): BulkOffer | undefined => offersTo(bulkActionSlot).find((offer) => offer.action === action)

/** For the table of that list. */
export const bulkActionsOf = (list: string): BulkAction[] =>
  offersTo(bulkActionSlot)
    .filter((offer) => offer.list === list)
    .map(({ action, label, needs, icon, danger }) => ({
      label: label(),
      ...(needs === undefined ? {} : { needs }),
      ...(icon === undefined ? {} : { icon }),
      ...(danger === undefined ? {} : { danger }),
      run: async (selection, { input, seen }) => prepareRun(action, selection, input, seen),
    }))

/** Writes the rows down and leads to the page that asks for the confirmation. */
export async function prepareRun(
  action: string,
  selection: { selectAll: boolean; inclusionList?: string[]; exclusionList?: string[] },
  query: Record<string, unknown>,
  seen: Readonly<Record<string, number>> = {},
): Promise<undefined> {
  const { bulk } = await import('./contract.ts')
  const { runId } = await send(bulk.calls.prepare, { action, selection, query, seen })
  changed('bulk')
  goTo(to(bulk.screens.run, { runId }))
}

const loaded = new Map<string, Promise<() => BulkTexts>>()

/** The same promise each time, for `use`. */
export function textsOf(action: string): Promise<() => BulkTexts> {
  const found =
    loaded.get(action) ?? (bulkOffer(action)?.texts() ?? Promise.reject(new TypeError(`Nobody offers ${action}`))).catch(chunkFailed)
  loaded.set(action, found)
  return found
}
