// On which printer a batch is printed; and cards are moved in it by hand.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { SelectField } from '#core/console/kit/fields.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { printing } from '../contract.ts'

export function ChoosePrinter({ batchId, onClose }: { batchId: string; onClose: () => void }) {
  const query = useCall(printing.calls.printers, {})
  return (
    <Modal opened onClose={onClose} title={t('Print batch')}>
      <Loaded query={query}>
        {({ printers }) =>
          printers.length === 0 ? (
            <EmptyState
              title={t('No card printer')}
              text={t('Start the security client with the name and address of a printer, then look again.')}
            />
          ) : (
            <Chosen batchId={batchId} names={printers.map(({ name }) => name)} onClose={onClose} />
          )
        }
      </Loaded>
    </Modal>
  )
}

function Chosen({ batchId, names, onClose }: { batchId: string; names: readonly string[]; onClose: () => void }) {
  const [printer, setPrinter] = useState(names[0] ?? '')
  const print = useSend(printing.calls.printBatch)
  const insert = useSend(printing.calls.insert)
  const eject = useSend(printing.calls.eject)
  const isBusy = print.pending || insert.pending || eject.pending
  const swallow = () => {}
  return (
    <Stack>
      <SelectField
        name="printer"
        value={printer}
        error={undefined}
        onBlur={() => {}}
        onChange={(value) => setPrinter(value ?? '')}
        label={t('Printer')}
        options={names.map((value) => ({ value, label: value }))}
      />
      <Text size="sm" c="dimmed">
        {t('A card counts as printed when the printer says so. What it does not tell is unknown: look at the printer then.')}
      </Text>
      <FaultAlert fault={print.fault ?? insert.fault ?? eject.fault} />
      <Group justify="space-between">
        <Group gap="xs">
          <Button variant="default" disabled={isBusy} loading={insert.pending} onClick={() => void insert.run({ printer }).catch(swallow)}>
            {t('Insert card')}
          </Button>
          <Button variant="default" disabled={isBusy} loading={eject.pending} onClick={() => void eject.run({ printer }).catch(swallow)}>
            {t('Eject card')}
          </Button>
        </Group>
        <Button
          disabled={isBusy}
          loading={print.pending}
          onClick={() => void print.run({ batch_id: batchId, reader: printer, printOnly: true }).then(onClose).catch(swallow)}
        >
          {t('Print batch')}
        </Button>
      </Group>
    </Stack>
  )
}
