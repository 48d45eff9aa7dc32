import { confirm } from '#core/console/kit/confirm.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { domains } from '../contract.ts'

/** Asks before it removes; answers whether it did. */
export function useRemoval(): (row: { id: string; shownName: string }) => Promise<boolean> {
  const removal = useSend(domains.calls.remove)
  return async ({ id, shownName }) => {
    const sure = await confirm({
      title: t('Remove {name}?', { name: shownName }),
      consequence: t('What is allowed by this domain stops at once. To add it again, control of it must be proved anew.'),
      action: t('Remove domain'),
      keep: t('Keep domain'),
      danger: true,
    })
    if (!sure) return false
    try {
      await removal.run({ id })
      return true
    } catch (error) {
      toastFault(error, t('The domain was not removed'))
      return false
    }
  }
}
