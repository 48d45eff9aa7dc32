// The statuses that are handled once for the whole console: 401, 402, 429 and 503 (specification part 2 section 8), and the 409 of a page that
// shows another tenancy than the session works in.

import { create } from 'zustand'
import type { CallFault } from './call-fault.ts'
import { isSignedOutPath, leaveSession } from './leave-session.ts'
import { t } from './text.ts'
import { toast } from './toasts.ts'

export const paymentStore = create<{ open: boolean; says: string }>(() => ({ open: false, says: '' }))

const handlers: Record<number, (fault: CallFault) => void> = {
  401(fault) {
    if (fault.code === 'not_logged_in' && !isSignedOutPath(location.pathname)) leaveSession(location)
  },
  402(fault) {
    paymentStore.setState({ open: true, says: fault.says })
  },
  409(fault) {
    if (fault.code === 'other_tenancy') toast({ kind: 'message', title: t('Another tenancy'), text: fault.says })
  },
  429(fault) {
    if (fault.code === 'too_many_requests') toast({ kind: 'warning', title: t('Too Many Requests'), text: t("You're making too many requests too quickly! Please slow down.") })
  },
  503(fault) {
    if (fault.code === 'audit_failed') toast({ kind: 'error', title: t('Audit Offline'), text: t('Chancery cannot operate without Audit functionality') })
  },
}

export const handleGlobally = (fault: CallFault): void => handlers[fault.status]?.(fault)
