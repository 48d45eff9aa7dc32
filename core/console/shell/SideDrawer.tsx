import { Drawer } from '@mantine/core'
import { t } from '../text.ts'
import { Navigation } from './Navigation.tsx'

/** The navigation on a narrow screen. */
export function SideDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer opened={opened} onClose={onClose} size={280} title={t('Menu')} padding="sm">
      <nav aria-label={t('Main')}>
        <Navigation rail={false} collapsible={false} />
      </nav>
    </Drawer>
  )
}
