// The views of the inventory, one's own certificates among them, for who sees it; the others have their own and nothing else.

import { useMay } from '#core/console/bootstrap.ts'
import { ViewTabs } from '#core/console/kit/ViewTabs.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { certificates } from '../contract.ts'

export function InventoryTabs() {
  const may = useMay()
  if (!may('search', 'View')) return null
  const all = to(searchScreen, { searchType: 'certificate' })
  return (
    <ViewTabs
      listKeys={['certificates.inventory', 'certificates.own']}
      label={t('Certificates')}
      views={[
        { key: 'all', label: t('All'), to: all },
        { key: 'ending', label: t('Ending in 30 days'), to: all, query: { expires: 'month' } },
        { key: 'recent', label: t('Recently issued'), to: all, query: { recent: 'week' } },
        {
          key: 'waiting',
          label: t('Waiting'),
          to: all,
          query: { tab: 'waiting' },
        },
        { key: 'mine', label: t('Mine'), to: to(certificates.screens.own) },
      ]}
    />
  )
}
