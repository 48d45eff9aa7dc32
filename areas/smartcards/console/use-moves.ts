// What becomes of a card away from a reader, each after a question where it cannot be undone.

import { confirm } from '#core/console/kit/confirm.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import { smartcards } from '../contract.ts'
import { cardNamed } from './card-id.ts'

type Answer = { certRevokeError?: string | undefined }

/** `after`: what is done once the card has changed. */
export function useMoves({ serial }: { serial: string }, after: () => void = () => {}) {
  const options = { quiet: true, invalidates: ['certificates'] } as const
  const revoke = useSend(smartcards.calls.revoke, options)
  const lost = useSend(smartcards.calls.lost, options)
  const resume = useSend(smartcards.calls.resume, options)
  const unassign = useSend(smartcards.calls.unassign, options)
  const card_id = cardNamed(serial)
  const say = async (work: Promise<Answer>): Promise<void> => {
    try {
      const { certRevokeError } = await work
      if (certRevokeError === undefined) toast({ kind: 'success', title: t('Successfully updated card status') })
      else toast({ kind: 'error', title: t('Unable to update card status'), text: certRevokeError })
    } catch (error) {
      toastFault(error, t('Unable to update card status'))
    }
    after()
  }
  const askFirst = async (title: string, consequence: string, action: string, work: () => Promise<Answer>): Promise<void> => {
    if (await confirm({ title, consequence, action, keep: t('Keep card'), danger: true })) await say(work())
  }
  return {
    revoke: () =>
      void askFirst(
        t('Revoke the card {serial}?', { serial }),
        t('All its certificates are revoked at once, wherever the card is. This cannot be undone; the card can be issued anew.'),
        t('Revoke card'),
        () => revoke.run({ card_id }),
      ),
    lost: () =>
      void askFirst(
        t('Report the card {serial} lost?', { serial }),
        t('Its certificates are revoked at once. This cannot be undone, also if you find the card again.'),
        t('Report lost'),
        () => lost.run({ card_id }),
      ),
    resume: () => void say(resume.run({ card_id })),
    unassign: () => void say(unassign.run({ card_id }).then(() => ({}))),
  }
}
