// The statuses that are handled once for the whole console: 401, 402, 429 and 503 (specification part 2 section 8), and the 409 of a page that
// shows another tenancy than the session works in.

import { create } from 'zustand'
import { CallFault } from './call-fault.ts'
import { isSignedOutPath, leaveSession } from './leave-session.ts'
import { t } from './text.ts'
import { toast } from './toasts.ts'

export const paymentStore = create<{ open: boolean; says: string }>(() => ({ open: false, says: '' }))

/** By status; `code` where not all of that status are meant. */
const handlers: Record<number, { code?: string; handle(fault: CallFault): void }> = {
  401: {
    code: 'not_logged_in',
    handle() {
      if (!isSignedOutPath(location.pathname)) leaveSession(location)
    },
  },
  402: { handle: ({ says }) => paymentStore.setState({ open: true, says }) },
  409: { code: 'other_tenancy', handle: ({ says }) => toast({ kind: 'message', title: t('Another tenancy'), text: says }) },
  429: {
    code: 'too_many_requests',
    handle: () =>
      toast({ kind: 'warning', title: t('Too Many Requests'), text: t("You're making too many requests too quickly! Please slow down.") }),
  },
  503: {
    code: 'audit_failed',
    handle: () => toast({ kind: 'error', title: t('Audit Offline'), text: t('Chancery cannot operate without Audit functionality') }),
  },
}

/** Whether the person has heard of it already, so that it needs no second sentence. */
export function isHandledGlobally(error: unknown): boolean {
  const handler = error instanceof CallFault ? handlers[error.status] : undefined
  return handler !== undefined && (handler.code === undefined || handler.code === Object(error).code)
}

export function handleGlobally(fault: CallFault): void {
  if (isHandledGlobally(fault)) handlers[fault.status]?.handle(fault)
}
