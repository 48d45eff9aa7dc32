// The slots of rooms that stand above those that offer. A slot of a room that stands below is declared at that room's root.

import type { ComponentType, LazyExoticComponent } from 'react'
import type { Call } from '#core/contract/contract.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'
import type { TaskIcon } from './kit/task-icon.ts'
import type { LazyScreen } from './show.ts'

/**
 * A picture or a piece of work on the home screen. `order` sorts until the person does, the smallest first: work below 50, pictures of it below 70, then the rest;
 * `wide` takes two columns. Its component draws `HomeCard` with what it shows, or nothing where there is nothing to show. What it reads first is in `atHome` of
 * its room's server.
 */
export type HomePanel = {
  key: string
  title: string
  intro?: string
  needs?: Needs
  order?: number
  wide?: true
  load: LazyScreen
}
export const homePanels = slot<HomePanel>('home panels: what the home screen shows of a room')

export type FoundRecord = {
  /** The name of its kind: `certificate`. */
  type: string
  id: string
  label: string
  detail: string
  path: string
  status?: string | undefined
  from?: string | undefined
}

/** Asked 200 ms after the last key, with at least two characters. */
export type SearchSource = (text: string, signal: AbortSignal) => Promise<readonly FoundRecord[]>
export const searchSources = slot<SearchSource>('search sources: where the palette finds records')

/** Words of a step whose `step` the server measures. Loaded with the home screen. */
export type FirstStep = { step: string; needs: Needs; says: string; why: string; path: string }
export const firstSteps = slot<() => Promise<readonly FirstStep[]>>('first steps: what makes a new tenancy useful, and where it is done')

/** Words of a kind that the server counts. With a `title` it has a section of its own on the home screen, besides the bell. */
export type WaitingKind = { kind: string; needs: Needs; title?: string; path: string; says: (count: number) => string }
export const workWaiting = slot<() => Promise<readonly WaitingKind[]>>('work waiting: what waits for a person, and where it is decided')

/**
 * A kind of `workSources` of the server in words, with the calls of its actions. `title` is of several, `one` of one; `done` says what was done, to which its
 * thing is added; `asks` says what follows, and has the person asked before.
 */
export type WorkKind = {
  kind: string
  title: string
  one: string
  actions: Readonly<Record<string, { call: Call; label: string; done: string; asks?: string; danger?: true }>>
}
export const workKinds = slot<() => Promise<readonly WorkKind[]>>('my work: kinds of what waits, and the calls of their actions')

/** Work that waits for the person, as the bell shows it. */
export type WaitingWork = { says: string; count: number; path: string }

/** `area`: a change in that room has it read anew, besides every minute. */
export type Notices = { area: string; read: (signal: AbortSignal) => Promise<WaitingWork[]> }
export const notices = slot<Notices>('notices: what the bell counts and lists')

/** Asks the person to prove anew who they are; `onDone(false)` where they give up. One room offers it. */
export type ProofDialog = LazyExoticComponent<ComponentType<{ onDone: (proved: boolean) => void }>>
export const proofDialogs = slot<ProofDialog>('proof dialog: asks the person to prove who they are')

/** A link below the help of each page; it is told the address of the page. */
/** `atRefusal`: what it is called beside a refusal. */
export type HelpLink = { label: string; atRefusal?: string; needs: Needs; to: (page: string) => string }
export const helpLinks = slot<HelpLink>('help links: where the help of a page leads')

/** A screen by its room and name, which stands above or below who names it; it is shown to who may open it. */
export type SelfPlace = { area: string; screen: string; params?: Readonly<Record<string, string>> }

/** A tab of self-service. The smallest `order` comes first; there is room for five. */
export type SelfTab = SelfPlace & { key: string; label: string; order: number; icon: TaskIcon }
export const selfTabs = slot<SelfTab>('self-service: tabs')

/** Something that waits for the person. Its component draws a `TaskLink`, or nothing where nothing waits. */
export type SelfTask = { key: string; order: number; needs?: Needs; load: LazyExoticComponent<ComponentType> }
export const selfTasks = slot<SelfTask>('self-service: what waits for the person')

/** Something that the person can do, in the first person: “I have a new telephone”. */
export type SelfAction = SelfPlace & { key: string; says: string; hint?: string; order: number; icon: TaskIcon }
export const selfActions = slot<SelfAction>('self-service: what the person can do')

/** The form by which a person asks for a smartcard; one room offers it. */
export const smartcardRequest = slot<LazyExoticComponent<ComponentType<{ id: string }>>>('self-service: form that asks for a smartcard')
