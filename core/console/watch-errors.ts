// Errors that no screen caught, from an event or a promise: written to the browser's console by the browser, and said to the person in a
// toast that stays.

import { CallFault } from './call-fault.ts'
import { t } from './text.ts'
import { toastFault } from './toast-fault.ts'
import { toast } from './toasts.ts'

export function watchErrors(page: Pick<Window, 'addEventListener' | 'removeEventListener'> = window): () => void {
  const onError = (event: ErrorEvent): void => say(event.error)
  const onRejection = (event: PromiseRejectionEvent): void => say(event.reason)
  page.addEventListener('error', onError)
  page.addEventListener('unhandledrejection', onRejection)
  return () => {
    page.removeEventListener('error', onError)
    page.removeEventListener('unhandledrejection', onRejection)
  }
}

function say(error: unknown): void {
  // Browsers report a resize loop as an error without one; a cancelled call is nobody's news.
  if (error === undefined || error === null || (error instanceof Error && error.name === 'AbortError')) return
  if (error instanceof CallFault) return toastFault(error)
  toast({ kind: 'message', title: t('An unexpected error occurred'), text: error instanceof Error ? error.message : '' })
}
