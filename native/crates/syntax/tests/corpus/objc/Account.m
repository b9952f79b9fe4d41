// Accounts and what they hold.
#import <Foundation/Foundation.h>
#import "Account.h"
@import UIKit;

#define MAX_ACCOUNTS 10
#define LOG(format, ...) NSLog(format, ##__VA_ARGS__)

static NSString *const kAccountKey = @"account";
extern NSInteger openAccounts;

typedef NS_ENUM(NSInteger, AccountState) {
    AccountStateOpen,
    AccountStateClosed,
};

typedef struct {
    NSInteger cents;
    char currency[4];
} Money;

typedef void (^AccountHandler)(Account *account, NSError *error);

@class Customer;

/// Something that can be audited.
@protocol Auditable <NSObject>
@required
- (NSString *)auditTrail;
@optional
@property (nonatomic, readonly) BOOL audited;
@end

/**
 * One account.
 */
@interface Account : NSObject <Auditable, NSCopying> {
    NSInteger _cents;
}

@property (nonatomic, copy) NSString *owner;
@property (nonatomic, weak, nullable) id<AccountDelegate> delegate;

+ (instancetype)accountWithOwner:(NSString *)owner;
- (BOOL)transfer:(NSInteger)cents to:(Account *)other error:(NSError **)error;

@end

@interface Account ()
@property (nonatomic, strong) NSMutableArray<NSString *> *entries;
@end

@implementation Account

@synthesize owner = _owner;
@dynamic delegate;

+ (instancetype)accountWithOwner:(NSString *)owner {
    Account *account = [[Account alloc] init];
    account.owner = owner;
    return account;
}

- (instancetype)init {
    if ((self = [super init])) {
        _entries = [NSMutableArray new];
    }
    return self;
}

#pragma mark - Transfers

// Moves money between accounts.
- (BOOL)transfer:(NSInteger)cents to:(Account *)other error:(NSError **)error {
    if (_cents < cents) {
        if (error) *error = makeError(kAccountKey, 1);
        return NO;
    }
    _cents -= cents;
    [other deposit:cents];
    [self.delegate account:self didTransfer:cents];
    dispatch_async(dispatch_get_main_queue(), ^{
        [self.entries addObject:@"transfer"];
    });
    return YES;
}

- (NSString *)auditTrail {
    return [self.entries componentsJoinedByString:@","];
}

@end

@implementation Account (Formatting)

- (NSString *)formatted {
    return FormatMoney((Money){ .cents = _cents });
}

@end

NSString *FormatMoney(Money money) {
    return [NSString stringWithFormat:@"%ld", (long)money.cents];
}

static NSError *makeError(NSString *domain, NSInteger code) {
    LOG(@"failed %ld", (long)code);
    return [NSError errorWithDomain:domain code:code userInfo:nil];
}
