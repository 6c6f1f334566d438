/** Goes to another workspace, or to what is one's own: each has an address, and the page is loaded anew. */
import { ChevronsUpDown, Plus, User, Users } from "lucide-react";
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { problemOf } from "../api/http.ts";
import { getMemberships } from "../api/members.ts";
import { pageOf, workspaceId } from "../api/whose.ts";
import { directory } from "../app/directory.ts";
import type { Membership } from "../contracts.ts";
import { useText } from "../i18n/text.ts";
import { MenuButton } from "../ui/MenuButton.tsx";

export function WorkspaceMenu() {
  const { members: t } = useText();
  const inside = useStore(directory, (all) => all.owner !== null);
  const [others, setOthers] = useState<readonly Membership[]>([]);
  useEffect(() => {
    if (!inside) return;
    getMemberships().then(
      ({ items }) => setOthers(items.slice(1)),
      // One's own stays in the list; the others are asked for when the page is opened again.
      (reason: unknown) => problemOf(reason),
    );
  }, [inside]);
  const place = (id: string | null, label: string) => ({
    label,
    icon: id === null ? <User size={15} aria-hidden="true" /> : <Users size={15} aria-hidden="true" />,
    checked: id === workspaceId,
    choose: () => location.assign(`${pageOf(id)}/`),
  });
  return (
    <MenuButton
      label={t.switch}
      items={[
        place(null, t.own),
        ...others.map((one) => place(one.id, one.name || one.id)),
        {
          label: t.create,
          icon: <Plus size={15} aria-hidden="true" />,
          choose: () => location.assign("/settings/members"),
        },
      ]}
    >
      <ChevronsUpDown size={16} aria-hidden="true" />
    </MenuButton>
  );
}
