// The single keys of a list, and the switch that turns them off.

import { Kbd, Modal, Stack, Switch, Table } from '@mantine/core'
import { setPreference, usePreference } from '../preferences.ts'
import { t } from '../text.ts'
import { listKeys } from './list-keys.ts'

export function KeysDialog({ opened, close }: { opened: boolean; close: () => void }) {
  const on = usePreference('shortcuts')
  const words: Record<(typeof listKeys)[number], string> = {
    '/': t('Search this list'),
    j: t('Next row'),
    k: t('Previous row'),
    x: t('Select the row'),
    Enter: t('Open the row'),
    '?': t('Show these keys'),
  }
  return (
    <Modal opened={opened} onClose={close} title={t('Keyboard shortcuts')}>
      <Stack gap="md">
        <Table aria-label={t('Keyboard shortcuts')} fz="sm">
          <Table.Tbody>
            {listKeys.map((key) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" w={80}>
                  <Kbd>{key}</Kbd>
                </Table.Th>
                <Table.Td>{words[key]}</Table.Td>
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th scope="row">
                <Kbd>{t('Ctrl K')}</Kbd>
              </Table.Th>
              <Table.Td>{t('Search or jump to…')}</Table.Td>
            </Table.Tr>
          </Table.Tbody>
        </Table>
        <Switch
          label={t('Single keys')}
          description={t('Off, only Ctrl K and the keys of the browser do something.')}
          checked={on}
          onChange={(event) => setPreference('shortcuts', event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
