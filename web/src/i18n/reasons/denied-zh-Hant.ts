/** Why a request of the computer was denied, by the name of the rule; in English the receipt says it. */
export const zhHantDenied: Readonly<Record<string, string>> = {
  default: "沒有規則允許它",
  venue: "交易所只能在核准之後由 Berth 連到，電腦只能讀取行情",
  local: "本機和內部網路的名稱不開放",
  names_of_addresses: "可以指向任意位址的名稱不開放",
  platform: "存放 Berth 和他人部署資料的主機不開放",
  chain: "區塊鏈節點不開放",
  malformed: "位址寫法不對",
  address: "直接寫 IP 位址的請求不開放",
  ambiguous_path: "路徑可以有多種讀法",
  upgrade: "連線不能改換協定",
  body_too_slow: "內容傳送得太慢",
  body_too_large: "內容超過這條規則的上限",
  not_a_read: "內容不是唯讀的查詢",
};
