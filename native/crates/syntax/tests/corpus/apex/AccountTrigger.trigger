// Keeps ratings fresh.
trigger AccountTrigger on Account (before insert, after update) {
    AccountService service = new AccountService('EU');
    for (Account account : Trigger.new) {
        service.rate(account);
    }
}
