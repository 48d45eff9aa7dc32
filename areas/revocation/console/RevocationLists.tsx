import { Button, Text } from '@mantine/core'
import { authorities } from '#areas/authorities/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { ListState } from './ListState.tsx'

/** How fresh each authority's list is. */
export function RevocationLists() {
  const query = useCall(revocation.calls.lists, {}, { refetchMilliseconds: 30_000 })
  const may = useMay()
  const make = useSend(revocation.calls.makeList)
  return (
    <Section
      title={t('Revocation lists')}
      intro={t('A list is made once a day and right after each revocation. OCSP answers are new at once.')}
    >
      <FaultAlert fault={make.fault} />
      <Loaded query={query}>
        {({ lists }) =>
          lists.length === 0 ? (
            <Text c="dimmed">{t('There is no authority that signs lists.')}</Text>
          ) : (
            <SmallTable
              label={t('Revocation lists')}
              rows={lists}
              rowId={(list) => list.caId}
              columns={[
                { label: t('Authority'), cell: (list) => list.caName },
                { label: t('Number'), cell: (list) => (list.number === undefined ? t('none yet') : String(list.number)) },
                { label: t('Entries'), align: 'end', cell: (list) => formatNumber(list.entries) },
                { label: t('Made'), cell: (list) => <DateTime at={list.thisUpdate} /> },
                { label: t('Ends'), cell: (list) => (list.nextUpdate === undefined ? '–' : relativeTime(list.nextUpdate)) },
                { label: t('State'), aside: true, cell: (list) => <ListState state={list.state} due={list.due} /> },
                {
                  label: t('Address'),
                  cell: (list) => <Copy value={list.crlUrl} label={t('Address of the list of {name}', { name: list.caName })} />,
                },
                {
                  label: t('Actions'),
                  plain: true,
                  cell: (list) =>
                    list.supplied ? (
                      may('manageCAs', 'View') && (
                        <LinkButton
                          size="compact-sm"
                          variant="default"
                          aria-label={t('Bring the list of {name}', { name: list.caName })}
                          to={`${to(authorities.screens.manage, { id: list.caId })}?tab=addresses`}
                        >
                          {t('Bring a list')}
                        </LinkButton>
                      )
                    ) : (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('Publish now: the list of {name}', { name: list.caName })}
                        onClick={() => void make.run({ caId: list.caId }).catch(() => {})}
                      >
                        {t('Publish now')}
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
