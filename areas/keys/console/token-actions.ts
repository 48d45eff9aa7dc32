// What can be done with a token from its row and from its page.

import { confirm } from '#core/console/kit/confirm.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import { keys } from '../contract.ts'
import { stateTexts } from './state-texts.ts'

type Token = { id: string; name: string }

export function useTokenActions() {
  const checking = useSend(keys.calls.check, { invalidates: ['authorities'] })
  const removing = useSend(keys.calls.remove)
  return {
    async check({ id, name }: Token): Promise<void> {
      await checking.run({ tokenId: id }).then(
        ({ state }) =>
          state === 'available'
            ? toast({ kind: 'success', title: t('{name} is available', { name }) })
            : toast({ kind: 'warning', title: t('{name} is unavailable', { name }), text: t(stateTexts[state].advice) }),
        (error: unknown) => toastFault(error, t('The token could not be checked')),
      )
    },
    /** Whether it was removed. */
    async remove({ id, name }: Token): Promise<boolean> {
      const sure = await confirm({
        title: t('Remove {name}?', { name }),
        consequence: t('Chancery forgets the token and its PIN. The token itself and the keys on it stay as they are.'),
        action: t('Remove token'),
        keep: t('Keep token'),
      })
      if (!sure) return false
      return removing.run({ tokenId: id }).then(
        () => true,
        (error: unknown) => {
          toastFault(error, t('The token was not removed'))
          return false
        },
      )
    },
  }
}
