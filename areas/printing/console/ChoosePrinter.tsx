// On which printer a batch is printed, after what would go wrong is named; and cards are moved in it by hand. What a printer does is kept by printer, so that
// one that works keeps no other waiting.

import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { SelectField } from '#core/console/kit/fields.tsx'
import { EmptyState, FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { printing } from '../contract.ts'
import { warningLabels } from '../rules.ts'

type Found = { name: string; isBusy: boolean }
type Work = 'insert' | 'eject' | 'calibrate' | 'print'
const mostNamed = 10

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
            <Chosen batchId={batchId} printers={printers} onClose={onClose} />
          )
        }
      </Loaded>
    </Modal>
  )
}

function Chosen({ batchId, printers, onClose }: { batchId: string; printers: readonly Found[]; onClose: () => void }) {
  const [printer, setPrinter] = useState(printers[0]?.name ?? '')
  const [working, setWorking] = useState<Readonly<Record<string, Work | undefined>>>({})
  const print = useSend(printing.calls.printBatch)
  const insert = useSend(printing.calls.insert)
  const eject = useSend(printing.calls.eject)
  const calibrate = useSend(printing.calls.calibrate)
  const at = working[printer]
  /** Flags one printer while it works; the others can be used meanwhile. */
  const doing = async (work: Work, run: () => Promise<unknown>): Promise<void> => {
    setWorking((before) => ({ ...before, [printer]: work }))
    // The fault is shown above the buttons.
    await run().catch(() => {})
    setWorking((before) => ({ ...before, [printer]: undefined }))
  }
  const isBusy = at !== undefined
  const isPrinting = printers.find(({ name }) => name === printer)?.isBusy === true
  return (
    <Stack>
      <SelectField
        name="printer"
        value={printer}
        error={undefined}
        onBlur={() => {}}
        onChange={(value) => setPrinter(value ?? '')}
        label={t('Printer')}
        options={printers.map(({ name, isBusy: works }) => ({
          value: name,
          label: works ? t('{name} (a card is at it)', { name }) : name,
        }))}
      />
      <Text size="sm" c="dimmed">
        {t('A card counts as printed when the printer says so. What it does not tell is unknown: look at the printer then.')}
      </Text>
      <Checked batchId={batchId} />
      <FaultAlert fault={print.fault ?? insert.fault ?? eject.fault ?? calibrate.fault} />
      <Group gap="xs">
        <Button
          variant="default"
          disabled={isBusy}
          loading={at === 'insert'}
          onClick={() => void doing('insert', () => insert.run({ printer }))}
        >
          {t('Insert card')}
        </Button>
        <Button
          variant="default"
          disabled={isBusy}
          loading={at === 'eject'}
          onClick={() => void doing('eject', () => eject.run({ printer }))}
        >
          {t('Eject card')}
        </Button>
        <Button
          variant="default"
          disabled={isBusy || isPrinting}
          loading={at === 'calibrate'}
          onClick={() => void doing('calibrate', () => calibrate.run({ printer }))}
        >
          {t('Calibration card')}
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button
          disabled={isBusy}
          loading={at === 'print'}
          onClick={() => void doing('print', () => print.run({ batch_id: batchId, reader: printer, printOnly: true }).then(onClose))}
        >
          {t('Print batch')}
        </Button>
      </Group>
    </Stack>
  )
}

/** Draws the cards before one is spoilt. */
function Checked({ batchId }: { batchId: string }) {
  const query = useCall(printing.calls.checkBatch, { batchId })
  return (
    <Loaded query={query}>
      {({ warnings }) =>
        warnings.length === 0 ? (
          <Text size="sm">{t('All faces were drawn: nothing is cut and nothing is missing.')}</Text>
        ) : (
          <>
            <Text size="sm" fw={600}>
              {t('Look at these before you print:')}
            </Text>
            <List size="sm" aria-label={t('What would go wrong in print')}>
              {warnings.slice(0, mostNamed).map(({ printedCardId, userName, warning }) => (
                <List.Item key={`${printedCardId} ${warning}`}>
                  {t('{name}: {what}', { name: userName, what: t(warningLabels[warning]) })}
                </List.Item>
              ))}
              {warnings.length > mostNamed && (
                <List.Item>{t('and {count, number} more', { count: warnings.length - mostNamed })}</List.Item>
              )}
            </List>
          </>
        )
      }
    </Loaded>
  )
}
