import { Button, Table, Text } from '@mantine/core'
import { to } from '#core/contract/paths.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { Copy } from '#core/console/kit/Copy.tsx'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { formatNumber, t } from '#core/console/text.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { revocation } from '../contract.ts'
import { ListState } from './ListState.tsx'

/** How fresh each authority's list is. */
export function RevocationLists() {
  const query = useCall(revocation.calls.lists, {}, { refetchMilliseconds: 30_000 })
  const may = useMay()
  const make = useSend(revocation.calls.makeList)
  return (
    <Section title={t('Revocation lists')} intro={t('A list is made once a day and right after each revocation. OCSP answers are new at once.')}>
      <FaultAlert fault={make.fault} />
      <Loaded query={query}>
        {({ lists }) =>
          lists.length === 0 ? (
            <Text c="dimmed">{t('There is no authority that signs lists.')}</Text>
          ) : (
            <Table.ScrollContainer minWidth={640}>
              <Table aria-label={t('Revocation lists')}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t('Authority')}</Table.Th>
                    <Table.Th>{t('Number')}</Table.Th>
                    <Table.Th>{t('Entries')}</Table.Th>
                    <Table.Th>{t('Made')}</Table.Th>
                    <Table.Th>{t('Ends')}</Table.Th>
                    <Table.Th>{t('State')}</Table.Th>
                    <Table.Th>{t('Address')}</Table.Th>
                    <Table.Th>{t('Actions')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {lists.map((list) => (
                    <Table.Tr key={list.caId}>
                      <Table.Th scope="row">{list.caName}</Table.Th>
                      <Table.Td>{list.number === undefined ? t('none yet') : String(list.number)}</Table.Td>
                      <Table.Td>{formatNumber(list.entries)}</Table.Td>
                      <Table.Td>
                        <DateTime at={list.thisUpdate} />
                      </Table.Td>
                      <Table.Td>{list.nextUpdate === undefined ? '–' : relativeTime(list.nextUpdate)}</Table.Td>
                      <Table.Td>
                        <ListState state={list.state} due={list.due} />
                      </Table.Td>
                      <Table.Td>
                        <Copy value={list.crlUrl} label={t('Address of the list of {name}', { name: list.caName })} />
                      </Table.Td>
                      <Table.Td>
                        {list.brought ? (
                          may('manageCAs', 'View') && (
                            <LinkButton size="compact-sm" variant="default" aria-label={t('Bring the list of {name}', { name: list.caName })} to={`${to(authorities.screens.manage, { id: list.caId })}?tab=addresses`}>
                              {t('Bring a list')}
                            </LinkButton>
                          )
                        ) : (
                          <Button size="compact-sm" variant="default" aria-label={t('Publish now: the list of {name}', { name: list.caName })} onClick={() => void make.run({ caId: list.caId }).catch(() => {})}>
                            {t('Publish now')}
                          </Button>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </Loaded>
    </Section>
  )
}
