// Calls as React sees them: `useCall` reads and keeps, `useSend` changes. After a change everything that was read from the same room is
// read again, and from the rooms named in `invalidates`, so that row, detail page, counters and badges agree.

import { hashKey, keepPreviousData, useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { Area } from '#core/contract/area.ts'
import type { Call, DraftOf, ExactDraft, OutputOf } from '#core/contract/contract.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { bootstrapStore } from './bootstrap.ts'
import type { CallFault } from './call-fault.ts'
import { queryClient } from './query-client.ts'
import { dispatch, type SendOptions } from './send.ts'
import { t } from './text.ts'
import { toast } from './toasts.ts'

/** Search results are stale after 5 minutes; other reads when their screen is opened again. */
const searchStaleMilliseconds = 300_000

export type CallQuery<T> = UseQueryResult<T, CallFault>

export type CallOptions = {
  /** False waits: a search whose text is not there yet. */
  enabled?: boolean
  /** Keeps showing the last answer while the next one loads. */
  keepPrevious?: boolean
  refetchMilliseconds?: number
}

const callKey = (call: Pick<Call, 'area' | 'name'>, input: unknown): readonly unknown[] => [call.area, call.name, input]

export function useCall<C extends Call, D extends DraftOf<C> = DraftOf<C>>(
  call: C,
  input: ExactDraft<C, D>,
  options?: CallOptions,
): CallQuery<OutputOf<C>> {
  return useDispatch(call, input, options) as CallQuery<OutputOf<C>>
}

/** `useCall` for the list, whose input is read from the address. */
export function useDispatch(
  call: Call,
  input: unknown,
  { enabled = true, keepPrevious = false, refetchMilliseconds }: CallOptions = {},
): CallQuery<unknown> {
  return useQuery<unknown, CallFault>({
    ...readingOf(call, input),
    enabled,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(refetchMilliseconds === undefined ? {} : { refetchInterval: refetchMilliseconds }),
  })
}

/**
 * Asks for what a screen will read when it is drawn, with the same words. Who may not ask does not. It is not called off where the screen is left before
 * the answer: a screen that React draws twice would ask twice.
 */
export async function askAhead(call: Call, input: unknown): Promise<void> {
  const granted = bootstrapStore.getState().bootstrap?.viewer?.permission.api ?? []
  if (satisfies(granted, call.needs)) await queryClient.prefetchQuery({ ...readingOf(call, input), queryFn: () => answerTo(call, input) })
}

/** The same for what is read anew whenever its screen is opened: what was asked for a moment ago is not asked for again when the screen is drawn. */
export async function askOnce(call: Call, input: unknown): Promise<void> {
  askedOnce.set(hashKey(callKey(call, input)), Date.now() + freshMilliseconds)
  await askAhead(call, input)
}

const freshMilliseconds = 3_000
/** Until when, by the hash of the query's key. */
const askedOnce = new Map<string, number>()

function staleAfter(query: { queryHash: string }): number {
  if (broughtAlong.has(query.queryHash)) return Infinity
  const until = askedOnce.get(query.queryHash) ?? 0
  if (Date.now() < until) return freshMilliseconds
  askedOnce.delete(query.queryHash)
  return 0
}

/** What came with another answer, and comes anew with that: nobody asks for it by itself. */
const broughtAlong = new Set<string>()

/** Keeps an answer that came with another, as if the call itself had been asked. */
export function keepAnswer(call: Pick<Call, 'area' | 'name'>, input: unknown, answer: unknown): void {
  const queryKey = callKey(call, input)
  broughtAlong.add(hashKey(queryKey))
  queryClient.setQueryData(queryKey, answer)
}

/** From now on each is asked for by itself again: the page is left whose answer brought them. */
export const releaseAnswers = (): void => broughtAlong.clear()

/** A call without a body answers nothing; the cache wants a value. */
const answerTo = async (call: Call, input: unknown, options?: SendOptions): Promise<unknown> =>
  (await dispatch(call, input, options)) ?? null

const readingOf = (call: Call, input: unknown) => ({
  queryKey: callKey(call, input),
  queryFn: ({ signal }: { signal: AbortSignal }) => answerTo(call, input, { signal }),
  staleTime: call.reads === true ? searchStaleMilliseconds : staleAfter,
})

export type Sender<C extends Call> = {
  /** Sends; throws the CallFault, which is also kept in `fault`. */
  run<D extends DraftOf<C>>(input: ExactDraft<C, D>, options?: SendOptions): Promise<OutputOf<C>>
  pending: boolean
  fault: CallFault | undefined
  answer: OutputOf<C> | undefined
  clear(): void
}

export type SenderOptions = {
  /** Other rooms whose readings this change makes old. */
  invalidates?: readonly Area[]
  /** No `done` toast: the screen shows the effect itself. */
  quiet?: boolean
}

export function useSend<C extends Call>(call: C, { invalidates = [], quiet = false }: SenderOptions = {}): Sender<C> {
  const mutation = useMutation<OutputOf<C>, CallFault, { input: DraftOf<C>; options: SendOptions | undefined }>({
    mutationFn: async ({ input, options }) => (await dispatch(call, input, options)) as OutputOf<C>,
    onSuccess: () => {
      if (!quiet && call.done !== undefined) toast({ kind: 'success', title: t(call.done) })
      forget([call.area, ...invalidates])
    },
  })
  return {
    run: (input: DraftOf<C>, options?: SendOptions) => mutation.mutateAsync({ input, options }),
    pending: mutation.isPending,
    fault: mutation.error ?? undefined,
    answer: mutation.data,
    clear: mutation.reset,
  }
}

/** Everything read from these rooms is old. Does not wait for the new readings. */
export const changed = (...areas: Area[]): void => forget(areas)

function forget(areas: readonly string[]): void {
  for (const area of areas) void queryClient.invalidateQueries({ queryKey: [area] })
}
