// What every shell of a signed-in person has besides its frame: the session's clock and its warning, the dialog that asks who one is, and the one about payment.

import { Suspense, lazy, useEffect, useState } from 'react'
import { useViewer } from '../bootstrap.ts'
import { chunkFailed } from '../chunks.ts'
import { paymentStore } from '../global-faults.ts'
import { answerProof, proofStore } from '../proof.ts'
import { useOffers } from '../rooms.ts'
import { sessionStore, startSession } from '../session.ts'
import { proofDialogs } from '../slots.ts'
import { whenShown } from '../when-shown.ts'

const PaymentModal = lazy(() => import('./PaymentModal.tsx').then((file) => ({ default: file.PaymentModal }), chunkFailed))
const loadWarning = () => import('./SessionWarning.tsx')
const SessionWarning = lazy(() => loadWarning().then((file) => ({ default: file.SessionWarning }), chunkFailed))

export function SessionParts() {
  const viewer = useViewer()
  const warned = useHasBeen(sessionStore((state) => state.warning))
  const unpaid = useHasBeen(paymentStore((state) => state.open))
  useEffect(startSession, [viewer.id])
  useEffect(fetchWarning, [])
  return (
    <>
      {unpaid && (
        <Suspense>
          <PaymentModal />
        </Suspense>
      )}
      <ProofDialog />
      {warned && (
        <Suspense>
          <SessionWarning />
        </Suspense>
      )}
    </>
  )
}

function ProofDialog() {
  const asked = proofStore((state) => state.asked)
  const [Dialog] = useOffers(proofDialogs)
  if (!asked || Dialog === undefined) return null
  return (
    <Suspense>
      <Dialog onDone={answerProof} />
    </Suspense>
  )
}

/** True from the first time on: what has been opened stays, so that it can fade out. */
export function useHasBeen(now: boolean): boolean {
  const [been, setBeen] = useState(now)
  if (now && !been) setBeen(true)
  return been || now
}

/** The warning comes when the network may be gone: its file is fetched once the page has nothing else to do. */
const fetchWarning = () => whenShown(() => void loadWarning().catch(() => undefined))
