// What failed and why, as a toast: for what has no place of its own on the screen, a button of a row for example.

import { asCallFault, CallFault } from './call-fault.ts'
import { isHandledGlobally } from './global-faults.ts'
import { toast } from './toasts.ts'

/** Silent where the person has heard of it already, or called it off. Without a title the call's own is taken. */
export function toastFault(error: unknown, title?: string): void {
  if (!(error instanceof CallFault)) console.error(title ?? 'A failure that is no call’s', error)
  const fault = asCallFault(error)
  if (fault.code === 'cancelled' || isHandledGlobally(fault)) return
  const head = title ?? fault.title
  toast(head === '' ? { kind: 'error', title: fault.says } : { kind: 'error', title: head, text: fault.says })
}
