// Toasts as the specification gives them (part 1 section 9): 3000 ms or the tenancy's own time, newest on top, no duplicates, one that
// was hovered goes 1000 ms after the pointer leaves, a `message` never closes by itself, and a log keeps the latest 20.

import { create } from 'zustand'
import { bootstrapStore } from './bootstrap.ts'

export type ToastKind = 'success' | 'error' | 'warning' | 'info' | 'message'
export type Toast = { id: number; kind: ToastKind; title: string; text: string; at: number }
export type ToastDraft = { kind: ToastKind; title: string; text?: string }

const toastMilliseconds = 3000
const afterHoverMilliseconds = 1000
const toastLogSize = 20

type ToastState = { shown: Toast[]; log: Toast[]; unseen: number }

export const toastStore = create<ToastState>(() => ({ shown: [], log: [], unseen: 0 }))

const timers = new Map<number, ReturnType<typeof setTimeout>>()
let lastId = 0

/** The tenancy's time where it is a valid number, else 3000 ms. */
export function displayMilliseconds(tenancy: unknown): number {
  const value = typeof tenancy === 'string' && tenancy.trim() !== '' ? Number(tenancy) : tenancy
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : toastMilliseconds
}

/** Shows a toast. Texts are shown as they are: translate before. */
export function toast({ kind, title, text = '' }: ToastDraft): void {
  const { shown, log, unseen } = toastStore.getState()
  const same = shown.find((one) => one.kind === kind && one.title === title && one.text === text)
  if (same !== undefined) return closeLater(same, displayMilliseconds(bootstrapStore.getState().bootstrap?.tenancy.toastTimeout))
  const made: Toast = { id: ++lastId, kind, title, text, at: Date.now() }
  toastStore.setState({ shown: [made, ...shown], log: [made, ...log].slice(0, toastLogSize), unseen: Math.min(unseen + 1, toastLogSize) })
  closeLater(made, displayMilliseconds(bootstrapStore.getState().bootstrap?.tenancy.toastTimeout))
}

export function closeToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toastStore.setState(({ shown }) => ({ shown: shown.filter((one) => one.id !== id) }))
}

/** While the pointer or the focus is in a toast it stays. */
export function holdToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
}

export const releaseToast = (held: Toast): void => closeLater(held, afterHoverMilliseconds)

export const seeToasts = (): void => toastStore.setState({ unseen: 0 })

export function clearToasts(): void {
  for (const timer of timers.values()) clearTimeout(timer)
  timers.clear()
  toastStore.setState({ shown: [], log: [], unseen: 0 })
}

function closeLater(one: Toast, milliseconds: number): void {
  if (one.kind === 'message') return
  clearTimeout(timers.get(one.id))
  timers.set(
    one.id,
    setTimeout(() => closeToast(one.id), milliseconds),
  )
}
